// The second call has a wrong argument.
const a = await tools.mcp__box__add({ a: 1, b: 2 });
const b = await tools.mcp__box__add({ a: "one", b: 2 });
return [a, b];

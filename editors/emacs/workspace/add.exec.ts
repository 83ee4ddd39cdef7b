// Adds two numbers with a tool of an MCP server.
const { sum } = await tools.mcp__box__add({ a: 20, b: 22 });
console.log("the sum is", sum);
return { sum, of: [20, 22], note: "from a script" };

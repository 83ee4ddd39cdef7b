const { rows } = await tools.mcp__files__rows({ n: 40 });
const content = await tools.mcp__files__read_file({ path: "notes.md" });
await Promise.all([300, 600, 200].map((ms) => tools.mcp__files__pause({ ms })));
await tools.mcp__files__picture({});
console.log("read", rows.length, "rows");
console.warn("two of them look odd");
return rows;

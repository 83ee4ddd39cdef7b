// An Exec script is the body of an async function: top-level await and return
// work, and tools.* are the MCP tools of your servers.
const [open, sum] = await Promise.all([
  tools.mcp__demo__list_issues({ state: "open" }),
  tools.mcp__demo__add({ a: 40, b: 2 }),
]);

console.log("open issues:", open);
return { sum, open };

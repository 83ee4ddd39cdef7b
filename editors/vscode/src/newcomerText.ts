// Texts of the first steps. Pure.

/** A script to begin with. */
export function scriptTemplate(tool: string | undefined): string {
  const example =
    tool === "mcp__demo__add"
      ? `// An Exec script: TypeScript that calls the tools of your MCP servers. F5 runs it.
const { sum } = await tools.mcp__demo__add({ a: 20, b: 22 });
console.log("the sum is", sum);
return { sum };
`
      : undefined;
  if (example !== undefined) {
    return example;
  }
  const access = tool === undefined ? undefined : /^[A-Za-z_$][\w$]*$/.test(tool) ? `tools.${tool}` : `tools[${JSON.stringify(tool)}]`;
  return `// An Exec script: TypeScript that calls the tools of your MCP servers. F5 runs it.
// Type "tools." to see what there is.
${access === undefined ? "" : `// const result = await ${access}({});\n`}
return "Hello from Code Mode";
`;
}

/** A command line as a server's definition; quotes keep words together. */
export function serverFromCommand(text: string): { command: string; args: string[] } {
  const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map((m) => (m[1] === undefined ? (m[2] ?? m[3] ?? "") : m[1].replace(/\\(["\\])/g, "$1")));
  const [command = "", ...args] = words;
  return { command, args };
}

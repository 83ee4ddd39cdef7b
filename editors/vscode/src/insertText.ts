// What is inserted for a call of a tool, so that it does not run into the code
// around it. Pure.

export interface Insertion {
  /** A snippet. */
  text: string;
  position: "here" | "next line";
}

/**
 * @param line the text of the cursor's line
 * @param character the cursor's place in it
 * @param snippet the call's arguments as the server writes them, "({ … })"
 */
export function insertion(line: string, character: number, name: string, snippet: string | undefined): Insertion {
  const access = /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`;
  const call = `await ${escapeSnippet(access)}${snippet ?? "({ $1 })"}`;
  const before = line.slice(0, character);
  const after = line.slice(character);
  if (line.trim() === "") {
    return { text: `${call};`, position: "here" };
  }
  // Where an expression is expected, the call is one: after "=", "(", "," and the like.
  if (/(?:[=(,[{:?&|+]|=>|\breturn|\bawait)\s*$/.test(before)) {
    const bare = /\bawait\s*$/.test(before) ? call.slice("await ".length) : call;
    const semicolon = after.trim() === "" && /(?:=|\breturn|\bawait)\s*$/.test(before) ? ";" : "";
    return { text: (/\s$|[([{]$/.test(before) ? "" : " ") + bare + semicolon, position: "here" };
  }
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return { text: `\n${indent}${call};`, position: "next line" };
}

function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, "\\$&");
}

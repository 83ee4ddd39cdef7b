// An MCP server for the journey: tools that delete, wait, return rows, text and
// pictures, ask back, or end the process; with a number as argument also that many others.
import { createInterface } from "node:readline";

const many = Number(process.argv[2] ?? 0);
const object = (properties = {}, required = Object.keys(properties)) => ({ type: "object", properties, required });
const string = { type: "string" };
const number = { type: "number" };
const png = "iVBORw0KGgoAAAANSUhEUgAAACgAAAAoCAIAAAADnC86AAAAOklEQVR4nO3NQQ0AIBADsPlXhQpU4YE9CLllBpp01p8WBgcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB48GH1tEAVB1aYMeAAAAAElFTkSuQmCC";

const tools = [
  { name: "delete_file", title: "Delete a file", description: "Deletes a file for good.", inputSchema: object({ path: string, reason: string }, ["path"]), annotations: { destructiveHint: true } },
  { name: "read_file", description: "Reads a file.", inputSchema: object({ path: string }), annotations: { readOnlyHint: true } },
  { name: "pause", description: "Answers after a while.", inputSchema: object({ ms: number }) },
  { name: "rows", description: "Lists records.", inputSchema: object({ n: number }), outputSchema: object({ rows: { type: "array", items: object({ id: number, name: string, state: string }) } }) },
  { name: "text", description: "A long text.", inputSchema: object({ length: number }) },
  { name: "picture", description: "Draws a square.", inputSchema: object() },
  { name: "fail", description: "Fails,\nin two lines.", inputSchema: object({ why: string }) },
  { name: "book", description: "Books a room, after questions of its own.", inputSchema: object({ city: string }) },
  { name: "crash", description: "Ends the server.", inputSchema: object() },
  ...Array.from({ length: many }, (_, i) => ({
    name: `thing_${String(i).padStart(4, "0")}`,
    description: `Does the thing number ${i}, with the care that things of this kind need.`,
    inputSchema: object({ id: string, size: number, mode: { type: "string", enum: ["fast", "slow"] } }, ["id"]),
  })),
];

const call = {
  delete_file: (a) => text(`deleted ${a.path}`),
  read_file: (a) => text(`the content of ${a.path}`),
  pause: (a) => new Promise((resolve) => setTimeout(() => resolve(text(`waited ${a.ms} ms`)), a.ms)),
  rows: (a) => {
    const rows = Array.from({ length: a.n }, (_, i) => ({ id: i, name: `record ${i}`, state: i % 3 ? "open" : "closed" }));
    return { content: [{ type: "text", text: JSON.stringify({ rows }) }], structuredContent: { rows } };
  },
  text: (a) => text("lorem ipsum ".repeat(Math.ceil(a.length / 12)).slice(0, a.length)),
  picture: () => ({ content: [{ type: "image", mimeType: "image/png", data: png }] }),
  fail: (a) => ({ isError: true, ...text(`It failed:\n  ${a.why}`) }),
  book: async (a) => {
    const answer = await ask("elicitation/create", {
      message: `A room in ${a.city}: who comes, and when?`,
      requestedSchema: object({ name: { type: "string", title: "Name", minLength: 2 }, nights: { type: "integer", minimum: 1, maximum: 30, default: 2 }, bed: { type: "string", enum: ["single", "double"] }, breakfast: { type: "boolean" } }, ["name", "nights", "bed"]),
    });
    return text(JSON.stringify(answer));
  },
  crash: () => {
    process.stderr.write("panic: the fixture was asked to crash\n");
    process.exit(3);
  },
};

function text(t) {
  return { content: [{ type: "text", text: t }] };
}

const questions = new Map();

/** Asks the client something, and answers what it answered. */
function ask(method, params) {
  const id = `question ${questions.size + 1}`;
  send({ id, method, params });
  return new Promise((resolve) => questions.set(id, resolve));
}

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

process.stderr.write("fixture ready\n");
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (id === undefined) return;
  if (method === undefined) {
    questions.get(id)?.(result ?? error);
    return;
  }
  if (method === "initialize") {
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "fixture", version: "1" } } });
  } else if (method === "tools/list") {
    send({ id, result: { tools } });
  } else if (method === "tools/call") {
    process.stderr.write(`called ${params.name}\n`);
    send({ id, result: await (call[params.name] ?? ((a) => text(JSON.stringify(a))))(params.arguments ?? {}) });
  } else if (method === "ping") {
    send({ id, result: {} });
  } else {
    send({ id, error: { code: -32601, message: `no method ${method}` } });
  }
});

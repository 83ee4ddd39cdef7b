#!/usr/bin/env node
// A language model for tests on 127.0.0.1. It speaks OpenAI's chat completions and responses, Anthropic's messages and Gemini's
// generateContent, streamed or not. It first answers with one call of the offered tool whose name ends in MODEL_TOOL (default Exec) with
// the code MODEL_CODE; once a request carries a tool's result, it answers with a text. PORT (0: any, written to MODEL_PORTFILE);
// MODEL_LOG takes every request as a line of JSON.
import { createServer } from "node:http";
import { appendFileSync, writeFileSync } from "node:fs";
const E = process.env, LOG = E.MODEL_LOG, WANT = E.MODEL_TOOL || "Exec", ARGS = { code: E.MODEL_CODE || "1+1" }, CALLS = 1;
const log = (o) => LOG && appendFileSync(LOG, JSON.stringify(o) + "\n");
const pick = (names) => names.find((n) => n === WANT) || names.find((n) => n.endsWith(WANT));
let seq = 0;
const str = (x) => (typeof x === "string" ? x : JSON.stringify(x));
// Each format: how to list tool names, find tool results, and write an answer.
// results: [{id, out}]. Deferred tools: when the wanted tool is not offered but a search tool is (Claude Code "ToolSearch", Qwen "tool_search"),
// the mock first asks for "select:<name>" (the name is read from the request's text), then calls the tool, or goes through the bridge "tool_call".
const decide = (names, results, body) => {
  const searched = results.some((r) => r.id?.includes("search_")); results = results.filter((r) => !r.id?.includes("search_"));
  const tool = pick(names), search = names.find((n) => n === "ToolSearch" || n === "tool_search"), bridge = names.includes("tool_call");
  const text = !tool && search ? JSON.stringify(body) : "", hidden = text.match(new RegExp("mcp_+[\\w.-]*?" + WANT + "(?![\\w-])"))?.[0];
  if (results.length < CALLS) {
    if (tool) return { tool, id: "call_" + ++seq, args: ARGS };
    if (hidden && !searched) return { tool: search, id: "call_search_" + ++seq, args: { query: "select:" + hidden } };
    if (hidden && bridge) return { tool: "tool_call", id: "call_" + ++seq, args: { name: hidden, arguments: ARGS } };
  }
  return { text: results.length ? "MODEL_DONE saw: " + results.map((r) => str(r.out)).join(" | ").slice(0, 2000) : "MODEL_NOTOOL offered: " + names.join(",") };
};
function sse(res, events) { // events: [event|null, data]
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [ev, d] of events) res.write((ev ? `event: ${ev}\n` : "") + `data: ${typeof d === "string" ? d : JSON.stringify(d)}\n\n`);
  res.end();
}
const json = (res, o, code = 200) => { res.writeHead(code, { "content-type": "application/json" }); res.end(JSON.stringify(o)); };

function chat(b, res) {
  const a = decide((b.tools || []).map((t) => t.function?.name), b.messages.filter((m) => m.role === "tool").map((m) => ({ id: m.tool_call_id, out: m.content })), b);
  const base = { id: "chatcmpl-" + ++seq, created: 1, model: b.model }, usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const tc = a.tool && [{ index: 0, id: a.id, type: "function", function: { name: a.tool, arguments: JSON.stringify(a.args) } }];
  const fin = a.tool ? "tool_calls" : "stop";
  if (!b.stream) json(res, { ...base, object: "chat.completion", choices: [{ index: 0, finish_reason: fin, message: { role: "assistant", content: a.text ?? null, ...(tc ? { tool_calls: tc } : {}) } }], usage });
  else {
    const ch = (delta, f = null) => [null, { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: f }] }];
    sse(res, [ch(tc ? { role: "assistant", content: null, tool_calls: tc } : { role: "assistant", content: a.text }), ch({}, fin),
      [null, { ...base, object: "chat.completion.chunk", choices: [], usage }], [null, "[DONE]"]]);
  }
  return a;
}
function responses(b, res) {
  // Tools are flat ({type:function,name}) or grouped ({type:namespace,name,tools:[...]}): a grouped one is called with {namespace,name}.
  const flat = [], ns = {};
  const walk = (ts, group) => { for (const t of ts || []) { if (t.type === "namespace") walk(t.tools, t.name); else if (t.name) { flat.push(t.name); if (group) ns[t.name] = group; } } };
  walk(b.tools);
  for (const i of Array.isArray(b.input) ? b.input : []) if (i.type === "additional_tools" || i.type === "tool_search_output") walk(i.tools);
  const a = decide(flat, (Array.isArray(b.input) ? b.input : []).filter((i) => i.type === "function_call_output").map((i) => ({ id: i.call_id, out: i.output })), b);
  if (a.tool && ns[a.tool]) a.namespace = ns[a.tool];
  const id = "resp_" + ++seq, usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 };
  const item = a.tool ? { type: "function_call", id: "fc_" + seq, call_id: a.id, name: a.tool, ...(a.namespace ? { namespace: a.namespace } : {}), arguments: JSON.stringify(a.args), status: "completed" }
    : { type: "message", id: "msg_" + seq, role: "assistant", status: "completed", content: [{ type: "output_text", text: a.text, annotations: [] }] };
  const resp = (status, output) => ({ id, object: "response", created_at: 1, status, model: b.model, output, usage: status === "completed" ? usage : null });
  if (!b.stream) json(res, resp("completed", [item]));
  else sse(res, [["response.created", { type: "response.created", response: resp("in_progress", []) }],
    ["response.output_item.added", { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response: resp("completed", [item]) }]]);
  return a;
}
function anthropic(b, res) {
  const results = b.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((c) => c.type === "tool_result").map((c) => ({ id: c.tool_use_id, out: c.content }));
  const a = decide((b.tools || []).map((t) => t.name), results, b);
  const msg = { id: "msg_" + ++seq, type: "message", role: "assistant", model: b.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } };
  const block = a.tool ? { type: "tool_use", id: "toolu_" + a.id, name: a.tool, input: a.args } : { type: "text", text: a.text };
  const stop = a.tool ? "tool_use" : "end_turn";
  if (!b.stream) json(res, { ...msg, content: [block], stop_reason: stop });
  else sse(res, [["message_start", { type: "message_start", message: msg }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: a.tool ? { ...block, input: {} } : { type: "text", text: "" } }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta: a.tool ? { type: "input_json_delta", partial_json: JSON.stringify(a.args) } : { type: "text_delta", text: a.text } }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } }],
    ["message_stop", { type: "message_stop" }]]);
  return a;
}
function gemini(b, res, stream) {
  const parts = (b.contents || []).flatMap((c) => c.parts || []);
  const a = decide((b.tools || []).flatMap((t) => t.functionDeclarations || []).map((f) => f.name), parts.filter((p) => p.functionResponse).map((p) => ({ id: p.functionResponse.id, out: p.functionResponse.response })), b);
  const o = { candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [a.tool ? { functionCall: { id: a.id, name: a.tool, args: a.args } } : { text: a.text }] } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, modelVersion: "mock", responseId: "r" + ++seq };
  stream ? sse(res, [[null, o]]) : json(res, o);
  return a;
}
const srv = createServer((req, res) => {
  let s = ""; req.setEncoding("utf8"); req.on("data", (d) => (s += d)); req.on("end", () => {
    let b = {}; try { b = s ? JSON.parse(s) : {}; } catch { }
    const p = req.url.split("?")[0]; let a;
    try {
      if (p.endsWith("/chat/completions")) a = chat(b, res);
      else if (p.endsWith("/responses")) a = responses(b, res);
      else if (p.endsWith("/messages/count_tokens")) json(res, { input_tokens: 10 });
      else if (p.endsWith("/messages")) a = anthropic(b, res);
      else if (/:streamGenerateContent$/.test(p)) a = gemini(b, res, true);
      else if (/:generateContent$/.test(p)) a = gemini(b, res, false);
      else if (/:countTokens$/.test(p)) json(res, { totalTokens: 10 });
      else if (p.endsWith("/models")) json(res, { object: "list", data: [{ id: "mock", object: "model" }] });
      else if (p === "/") json(res, { ok: true });
      else json(res, { error: { message: "no such path " + p } }, 404);
    } catch (e) { a = { error: String(e.stack) }; if (!res.headersSent) json(res, { error: { message: String(e) } }, 500); else res.end(); }
    log({ method: req.method, url: req.url, headers: req.headers, body: b, answer: a });
  });
});
srv.listen(+(E.PORT || 0), "127.0.0.1", () => { const port = srv.address().port; if (E.MODEL_PORTFILE) writeFileSync(E.MODEL_PORTFILE, String(port)); console.error("model of tests on http://127.0.0.1:" + port); });

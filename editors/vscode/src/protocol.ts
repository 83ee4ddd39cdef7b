// The custom methods of codemode-ls that this extension speaks, version 1.
// docs/protocol.md describes them; fields may be added there at any time.

export const Method = {
  exec: "codemode/exec",
  scriptSchema: "codemode/scriptSchema",
  cancel: "codemode/cancel",
  run: "codemode/run",
  value: "codemode/value",
  describe: "codemode/describe",
  permissions: "codemode/permissions",
  audit: "codemode/audit",
  setPermission: "codemode/setPermission",
  runs: "codemode/runs",
  catalog: "codemode/catalog",
  servers: "codemode/servers",
  restartServer: "codemode/restartServer",
  approveServer: "codemode/approveServer",
  refuseServers: "codemode/refuseServers",
  permission: "codemode/permission",
  input: "codemode/input",
  catalogChanged: "codemode/catalogChanged",
  serversChanged: "codemode/serversChanged",
  execEvent: "codemode/execEvent",
} as const;

/** What this client can do: `capabilities.experimental.codemode`. */
export const clientCapabilities = { permission: true, events: true, input: true, elicitation: true, trust: true, splitSettings: true } as const;

/** What a script takes. */
export interface ScriptSchema {
  takesInput: boolean;
  fields: { path: string; type: string; required: boolean; description?: string }[];
  examples: { name: string; input: unknown }[];
  problems: { message: string }[];
  /** Where the given input does not fit, or {} when none was given. */
  misfits: { path: string; message: string }[];
}

/** One value that an MCP server asks for. */
export interface Field {
  name: string;
  title?: string;
  description?: string;
  type: "string" | "number" | "integer" | "boolean" | "array";
  format?: string;
  choices?: { value: string; title?: string }[];
  required?: boolean;
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

/** What a configuration file, or an MCP server, asks of a person. */
export interface InputQuestion {
  id: string;
  file: string;
  description?: string;
  default?: string;
  /** The answer must be one of them. */
  options?: string[];
  password?: boolean;
  /** The MCP server that asks, in place of a file. */
  server?: string;
  fields?: Field[];
}

/** Without a value nobody has answered. */
export interface InputAnswer {
  value?: string;
  /** To a server. */
  action?: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
}

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export type RunStatus = "completed" | "code_error" | "timeout" | "budget_exceeded" | "cancelled" | "denied";

export type CallStatus =
  | "queued"
  | "waiting"
  | "running"
  | "completed"
  | "failed"
  | "denied"
  | "refused"
  | "cancelled"
  | "timeout";

export interface CallRecord {
  index: number;
  tool: string;
  server: string;
  arguments: unknown;
  range?: Range;
  status: CallStatus;
  error?: string;
  timing?: { totalMs: number; permissionMs: number; queuedMs: number; runMs?: number; startMs?: number; endMs?: number };
  resultBytes?: number;
  /** Of a dry run: what the rules would say, and which rule. */
  verdict?: "allow" | "ask" | "deny";
  verdictBy?: string;
  /** What the script got; only in the answer of codemode/run. */
  result?: unknown;
}

export interface Log {
  level: "log" | "info" | "warn" | "error" | "debug";
  text: string;
}

/** Type is "text", "image", "audio" or "resource". */
export interface Output {
  type: string;
  text?: string;
  mimeType?: string;
  /** base64 */
  data?: string;
  uri?: string;
}

export interface Diagnostic {
  range: Range;
  severity?: number;
  code?: string | number;
  source?: string;
  message: string;
}

export interface ExecResult {
  runId: string;
  status: RunStatus;
  text: string;
  summary: string;
  value?: unknown;
  hasValue: boolean;
  /** The value is too long for a result: codemode/value has it. */
  valueOmitted?: { bytes: number; artifact?: string };
  logs: Log[];
  output: Output[];
  calls: CallRecord[];
  warnings: { message: string; path?: string; range?: Range }[];
  error?: { name: string; message: string; stack?: string; range?: Range; toolCall?: number; code?: string };
  diagnostics?: Diagnostic[];
  truncated?: { totalChars: number; artifact?: string };
  dropped?: { images: number; bytes: number };
  /** What ended the run, if a limit did. */
  budget?: { setting: string; value: number; unit?: string; raise: string };
  timing: { wallMs: number; activeMs: number; permissionMs: number; queuedMs: number };
}

export interface ExecEvent {
  runId: string;
  kind: "started" | "call" | "log" | "output" | "summary" | "finished";
  uri?: string;
  /** That of the request which started the run. */
  token?: string;
  /** What the agent calls itself that runs this through the gateway. */
  agent?: string;
  call?: CallRecord;
  log?: Log;
  output?: Output;
  summary?: string;
  status?: RunStatus;
}

/** A piece of a value's JSON; next is the offset of the piece after it. */
export interface ValuePiece {
  json: string;
  next?: number;
  bytes: number;
}

export interface Annotations {
  readOnlyHint?: unknown;
  destructiveHint?: unknown;
  idempotentHint?: unknown;
  openWorldHint?: unknown;
}

export interface PermissionRequest {
  id: string;
  runId: string;
  tool: string;
  server: string;
  title?: string;
  description?: string;
  annotations?: unknown;
  arguments: unknown;
  /** The arguments exactly as they will be sent; parsed JSON has lost some of it. */
  argumentsText?: string;
  /** Index of the call in its run. */
  call?: number;
  uri?: string;
  range?: Range;
  waiting?: number;
  /** What the agent calls itself that asks, through the gateway. */
  agent?: string;
  note?: string;
  /** How the server has changed the tool since it was allowed, line by line. */
  changed?: string;
  loop?: LoopOffer;
}

/** What may be granted for a loop (PERM-12); it comes from the second question about a tool on. */
export interface LoopOffer {
  asked: number;
  suggestions: Condition[];
}

export interface Condition {
  field: string;
  match: "exact" | "prefix" | "glob";
  value: string;
}

export type Scope = "once" | "run" | "session" | "workspace" | "user" | "loop";

export interface PermissionAnswer {
  decision: "allow" | "deny";
  scope?: Scope;
  stop?: boolean;
  reason?: string;
  calls?: number;
  while?: Condition;
}

/** A rule and the place where it is kept. */
export interface PermissionRule {
  layer: string;
  effect: string;
  rule: string;
  source?: { uri: string; range: Range };
}

/** What was decided about a call, and by what. */
export interface AuditEntry {
  time: string;
  runId?: string;
  tool: string;
  decision: string;
  by: string;
  rule?: string;
  layer?: string;
  scope?: string;
  reason?: string;
}

export interface CatalogTool {
  name: string;
  server: string;
  title?: string;
  description: string;
  signature: string;
  tokens: number;
  shown: boolean;
  annotations?: unknown;
  permission: "allow" | "ask";
}

/** All about one tool. */
export interface ToolDescription {
  signature: string;
  inputSchema: unknown;
  outputSchema?: unknown;
  problems?: string[];
  /** What follows the tool's name in a call, as a snippet. */
  snippet?: string;
}

export interface Catalog {
  text: string;
  hash: string;
  partial: boolean;
  shown: number;
  total: number;
  tokens: number;
  flatTokens: number;
  servers: { namespace: string; name: string; tools: number; shown: number; tokens: number }[];
  tools: CatalogTool[];
  /** When only names were asked for: the tools in the text. */
  shownNames?: string[];
}

export type ServerStatus = "connecting" | "connected" | "failed" | "stopped" | "untrusted";

export interface Server {
  name: string;
  namespace?: string;
  source?: string;
  transport?: string;
  status: ServerStatus;
  tools: number;
  error?: string;
  stderr?: string;
  cached?: boolean;
  /** Tools that are left out or have a broken part. */
  problems?: string[];
  /** What else is wrong with a server that works. */
  faults?: string[];
  /** It is a code-mode server itself. */
  codeMode?: boolean;
  /** It is codemode-ls itself, and is not connected. */
  self?: boolean;
  file?: string;
  /** Counted from 0, which is left out. */
  line?: number;
  /** A workspace's server whose name is, or looks like, that of another, in words. */
  resembles?: string;
  /** "required" when it demands that somebody signs in. */
  auth?: string;
  /** Of a server that is not approved: what would be started. */
  approval?: Approval;
}

export interface Approval {
  hash: string;
  command?: string;
  args?: string[];
  cwd?: string;
  url?: string;
  /** Names of environment variables and headers, without values. */
  env?: string[];
  headers?: string[];
  /** As what it would be signed in to. */
  signIn?: string;
  /** Variables that it reads, and where their values go. */
  reads?: { name: string; to: string }[];
  /** A person has refused it. */
  refused?: boolean;
}

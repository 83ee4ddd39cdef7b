// The language server's process: found, started, restarted, stopped.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import { clientCapabilities } from "./protocol";
import { declaredSettings, settingsSection } from "./settingsSection";

/** Where the language server stands. */
export type ServerState = "restricted" | "stopped" | "starting" | "ready" | "failed";

/** What the features of this extension add to a client before it starts. */
export interface Feature {
  /** Registers handlers; called for every new client. */
  attach(client: LanguageClient): void;
}

/** A process that ends more often than this in that time is not started again. */
const maxEnds = 4;
const patienceMs = 180_000;
/** A program that does not answer for so long after its start is another one, or hangs. */
const answerMs = 20_000;

/** A first start that fails is logged by the library and shown by explain, in a sentence and with buttons. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, show?: boolean | "force"): void {
    super.error(message, data, message.includes("couldn't create connection") ? false : show);
  }
}

/** Owns the client. There is at most one. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private features: Feature[] = [];
  private current: ServerState = "stopped";
  private ends: number[] = [];
  private restarting = false;
  /** Aborted when the program was started and has not answered. */
  private late = new AbortController();
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly log = vscode.window.createOutputChannel("Code Mode", { log: true });
  /** Why the server could not be started. */
  error: string | undefined;
  /** Fires with every new state. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly executeCommand: Middleware["executeCommand"],
  ) {}

  get state(): ServerState {
    return this.current;
  }

  add(feature: Feature): void {
    this.features.push(feature);
  }

  showOutput(): void {
    this.log.show(true);
  }

  /** Starts the server. In a restricted window it starts no MCP server and runs no script (VSC-7). */
  async start(): Promise<void> {
    if (this.client) {
      return;
    }
    const command = findServer(this.context);
    if (command === undefined) {
      this.fail("codemode-ls was not found. Set its path, or install the extension's package for this platform.");
      return;
    }
    if (isAbsolute(command) && !existsSync(command)) {
      this.fail(`codemode-ls is not at ${command}, where codemode.server.path says it is.`);
      return;
    }
    this.set("starting");
    this.log.info(`starting ${command} lsp`);
    let child: ChildProcess | undefined;
    const launch = async (): Promise<ChildProcess> => (child = await launched(command, vscode.workspace.isTrusted ? ["lsp"] : ["lsp", "--restricted"]));
    const client = new Client("codemode", "Code Mode", launch, this.options());
    client.registerFeature(experimental);
    client.onDidChangeState((e) => {
      this.follow(client, e.newState);
    });
    for (const f of this.features) {
      f.attach(client);
    }
    this.client = client;
    const late = new AbortController();
    this.late = late;
    const timer = setTimeout(() => {
      late.abort();
      child?.kill("SIGKILL");
    }, answerMs);
    try {
      await client.start();
    } catch (e) {
      this.client = undefined;
      this.log.error(e instanceof Error ? e.message : String(e));
      this.fail(late.signal.aborted ? `${command} was started and does not answer: it hangs, or is not codemode-ls.` : `${command} could not be started, or is not codemode-ls. The output says more.`);
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      await client.dispose().catch((e: unknown) => {
        this.log.warn(`stopping: ${String(e)}`);
      });
    }
    this.set("stopped");
  }

  async restart(): Promise<void> {
    this.ends = [];
    this.error = undefined;
    await this.stop();
    await this.start();
  }

  /** The running client, started when there is none; throws in words when there cannot be one. */
  async ready(): Promise<LanguageClient> {
    await this.start();
    if (!this.client) {
      throw new Error(this.error ?? "codemode-ls is not running.");
    }
    // start() waits when it is already under way and returns at once afterwards.
    await this.client.start();
    return this.client;
  }

  /** Shows why something could not be done, with a button for what to do about it. */
  async explain(e: unknown): Promise<void> {
    const message = e instanceof Error ? e.message : String(e);
    const remedies: Record<string, () => unknown> = !vscode.workspace.isTrusted
      ? { "Manage Workspace Trust": () => vscode.commands.executeCommand("workbench.trust.manage") }
      : this.current === "failed"
        ? {
            "Restart": () => this.restart(),
            "Set Path": () => vscode.commands.executeCommand("workbench.action.openSettings", "codemode.server.path"),
            "Show Output": () => {
              this.showOutput();
            },
          }
        : {
            "Show Output": () => {
              this.showOutput();
            },
          };
    const choice = await vscode.window.showErrorMessage(message, ...Object.keys(remedies));
    if (choice !== undefined) {
      await remedies[choice]?.();
    }
  }

  /** Runs a command of the server; what went wrong is shown. */
  async execute(command: string, args: unknown[] = []): Promise<void> {
    try {
      const client = await this.ready();
      await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    } catch (e) {
      await this.explain(e);
    }
  }

  /** The program, where it was found. */
  get command(): string | undefined {
    return findServer(this.context);
  }

  /** The running client, if there is one. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  dispose(): void {
    this.changed.dispose();
    this.log.dispose();
  }

  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.error = undefined;
      this.restarting = false;
      this.set(vscode.workspace.isTrusted ? "ready" : "restricted");
    } else if (state === State.Stopped) {
      if (this.restarting) {
        this.set("starting");
      } else {
        this.fail("codemode-ls has stopped. The output says why.");
      }
    } else {
      this.set("starting");
    }
  }

  private fail(message: string): void {
    const again = this.error === message;
    this.error = message;
    this.log.error(message);
    this.set("failed");
    if (!again) {
      void this.explain(new Error(message));
    }
  }

  /** After the process has ended: started again, unless that has not helped. */
  private onClosed(): { action: CloseAction; handled: true } {
    const now = Date.now();
    this.ends = [...this.ends.filter((t) => now - t < patienceMs), now];
    this.restarting = this.ends.length <= maxEnds && !this.late.signal.aborted;
    this.log.error(this.restarting ? "codemode-ls ended unexpectedly; it is started again" : "codemode-ls keeps ending; it is not started again");
    return { action: this.restarting ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
  }

  private set(state: ServerState): void {
    void vscode.commands.executeCommand("setContext", "codemode.state", state);
    this.current = state;
    this.changed.fire(state);
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ language: "codemode" }, ...configurationFiles.map((pattern) => ({ scheme: "file", pattern }))],
      outputChannel: this.log,
      // What goes wrong is told once, in a sentence and with a button, by explain.
      errorHandler: {
        error: (error) => {
          this.log.warn(`connection: ${error.message}`);
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => this.onClosed(),
      },
      initializationFailedHandler: () => false,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // Markdown of hovers is made of what MCP servers say: no HTML, no commands.
      markdown: { isTrusted: false, supportHtml: false },
      initializationOptions: () => this.settings(),
      middleware: {
        executeCommand: this.executeCommand,
        // Nothing can be run in a restricted window, so nothing offers it.
        provideCodeLenses: (document, token, next) => (vscode.workspace.isTrusted ? next(document, token) : []),
        workspace: {
          configuration: async (params, token, next) => {
            const answers = (await next(params, token)) as unknown[];
            return params.items.map((item, i) => (item.section === "codemode" ? this.settings() : answers[i]));
          },
          // The server asks for what has changed; what would be sent here does not
          // tell the workspace's settings from the user's.
          didChangeConfiguration: (_sections, next) => next(undefined),
        },
      },
    };
  }

  private settings(): unknown {
    const configuration = vscode.workspace.getConfiguration("codemode");
    return settingsSection(declaredSettings(this.context.extension.packageJSON), (name) => configuration.inspect(name));
  }
}

/** The files with MCP servers that the server reads, this program's own and others'. */
const configurationFiles = [
  "**/.codemode/mcp.json",
  "**/.codemode/results.d.ts",
  "**/.vscode/mcp.json",
  "**/.mcp.json",
  "**/.cursor/mcp.json",
  "**/.zed/settings.json",
  "**/.junie/mcp/mcp.json",
  "**/.air/mcp.json",
  "**/.codex/config.toml",
  "**/.gemini/settings.json",
  "**/opencode.{json,jsonc}",
] as const;

/** Tells the server what this client can do beyond LSP. */
const experimental: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const other = capabilities.experimental as Record<string, unknown> | undefined;
    capabilities.experimental = { ...other, codemode: clientCapabilities };
  },
  initialize() {
    // Nothing to set up.
  },
  getState() {
    return { kind: "static" };
  },
  clear() {
    // Nothing to undo.
  },
};

/** Starts a program in the workspace; rejects when that is not possible. */
function launched(command: string, args: string[]): Promise<ChildProcess> {
  const folder = vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === "file");
  const child = spawn(command, args, folder ? { cwd: folder.uri.fsPath } : {});
  return new Promise((resolve, reject) => {
    child.once("spawn", () => {
      resolve(child);
    });
    child.once("error", reject);
  });
}

/** The setting, else the binary packaged with the extension, else PATH. */
function findServer(context: vscode.ExtensionContext): string | undefined {
  const configured = vscode.workspace.getConfiguration("codemode").get<string>("server.path")?.trim();
  if (configured) {
    return configured;
  }
  const name = process.platform === "win32" ? "codemode-ls.exe" : "codemode-ls";
  const packaged = context.asAbsolutePath(join("bin", name));
  if (existsSync(packaged)) {
    return packaged;
  }
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((dir) => dir !== "")
    .map((dir) => join(dir, name))
    .find((path) => existsSync(path));
}

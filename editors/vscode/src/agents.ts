// Code Mode for agents inside the editor: two tools of the language model API, and
// the gateway as an MCP server that VS Code can start.

import * as vscode from "vscode";
import { Method, type Catalog } from "./protocol";
import type { Runner } from "./run";
import type { Server } from "./server";

/** Offers what this version of the editor has a place for: forks of VS Code may lack either. */
export function offerToAgents(server: Server, runner: Runner): vscode.Disposable {
  const offered: vscode.Disposable[] = [];
  const lm: Partial<typeof vscode.lm> = "lm" in vscode ? vscode.lm : {};
  if (lm.registerTool) {
    offered.push(vscode.lm.registerTool("codemode_exec", new ExecTool(runner)), vscode.lm.registerTool("codemode_catalog", new CatalogTool(server)));
  }
  if (lm.registerMcpServerDefinitionProvider) {
    offered.push(vscode.lm.registerMcpServerDefinitionProvider("codemode.gateway", new Gateway(server)));
  }
  return vscode.Disposable.from(...offered);
}

/** Runs a script. Its calls ask in this extension's own list, with their arguments, one by one. */
class ExecTool implements vscode.LanguageModelTool<{ code: string }> {
  constructor(private readonly runner: Runner) {}

  prepareInvocation(options: vscode.LanguageModelToolInvocationPrepareOptions<{ code: string }>): vscode.PreparedToolInvocation {
    const fence = "`".repeat(Math.max(3, ...[...options.input.code.matchAll(/`+/g)].map((m) => m[0].length + 1)));
    return {
      invocationMessage: "Running an Exec script",
      confirmationMessages: {
        title: "Run an Exec script?",
        message: new vscode.MarkdownString(`The script runs in a sandbox. Each MCP call that no rule allows still asks you, in “Waiting for You”.\n\n${fence}typescript\n${options.input.code}\n${fence}`),
      },
    };
  }

  async invoke(options: vscode.LanguageModelToolInvocationOptions<{ code: string }>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const { code } = options.input;
    if (typeof code !== "string" || code.trim() === "") {
      throw new Error("code is missing: pass the text of a TypeScript script.");
    }
    return text(await this.runner.runForAgent(code, token));
  }
}

/** What a model has to read before it writes a script. Calls nothing. */
class CatalogTool implements vscode.LanguageModelTool<{ budgetTokens?: number }> {
  constructor(private readonly server: Server) {}

  async invoke(options: vscode.LanguageModelToolInvocationOptions<{ budgetTokens?: number }>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const client = await this.server.ready();
    const { budgetTokens } = options.input;
    const catalog = await client.sendRequest<Catalog>(Method.catalog, typeof budgetTokens === "number" ? { budgetTokens } : {}, token);
    return text(catalog.text);
  }
}

function text(value: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(value)]);
}

/** `codemode-ls mcp` in the workspace: the same configuration files and rules, for agents that speak MCP. */
class Gateway implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.changed.event;

  constructor(private readonly server: Server) {
    server.onDidChange(() => {
      this.changed.fire();
    });
  }

  provideMcpServerDefinitions(): vscode.McpStdioServerDefinition[] {
    const folder = vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === "file");
    const { command } = this.server;
    if (command === undefined || !folder || !vscode.workspace.isTrusted) {
      return [];
    }
    const definition = new vscode.McpStdioServerDefinition("Code Mode", command, ["mcp", "--workspace", folder.uri.fsPath]);
    definition.cwd = folder.uri; // else it would be started in the home folder
    return [definition];
  }
}

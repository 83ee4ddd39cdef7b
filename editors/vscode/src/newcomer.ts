// The first steps: a new script, the demo server, a server of one's own.

import * as vscode from "vscode";
import { scriptTemplate, serverFromCommand } from "./newcomerText";

/** Creates a script with an example, from the tools that there are. */
export async function newScript(firstTool: string | undefined): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const text = scriptTemplate(firstTool);
  if (!folder) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "codemode", content: text }));
    return;
  }
  const name = await vscode.window.showInputBox({
    title: "New Exec script",
    value: await freeName(folder),
    valueSelection: [0, "script".length],
    prompt: "Name of the file",
    validateInput: (v) => (/^[^\\/:*?"<>|]+\.exec\.[jt]s$/.test(v.trim()) ? undefined : "The name must end in .exec.ts or .exec.js."),
  });
  if (name === undefined) {
    return;
  }
  const uri = vscode.Uri.joinPath(folder, name.trim());
  if (!(await exists(uri))) {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  }
  await vscode.window.showTextDocument(uri);
}

/** Switches the demo server on and opens a script that uses it. */
export async function tryDemo(): Promise<void> {
  await vscode.workspace.getConfiguration("codemode").update("demo", true, vscode.ConfigurationTarget.Global);
  await newScript("mcp__demo__add");
}

/** Asks for a server and writes it into the user's settings, where it needs no approval. */
export async function addServer(): Promise<void> {
  const kind = await vscode.window.showQuickPick(
    [
      { label: "A command", description: "npx -y @modelcontextprotocol/server-filesystem .", how: "command" as const },
      { label: "An address", description: "https://example.com/mcp", how: "url" as const },
      { label: "Edit the workspace's file", description: ".codemode/mcp.json, for everybody who opens this workspace", how: "file" as const },
      { label: "Use servers of other programs", description: "Claude, Cursor, VS Code and others", how: "import" as const },
    ],
    { title: "Add MCP server", placeHolder: "How is the server reached?" },
  );
  switch (kind?.how) {
    case "command":
    case "url":
      await addToSettings(kind.how);
      break;
    case "file":
      await openWorkspaceFile();
      break;
    case "import":
      await vscode.commands.executeCommand("workbench.action.openSettings", "codemode.import");
      break;
    case undefined:
      break;
  }
}

async function addToSettings(kind: "command" | "url"): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: "Add MCP server",
    prompt: kind === "command" ? "The command that starts it, with its arguments" : "Its address",
    placeHolder: kind === "command" ? "npx -y @modelcontextprotocol/server-filesystem ." : "https://example.com/mcp",
    ignoreFocusOut: true,
    validateInput: (v) => (kind === "url" && !/^https?:\/\/\S+$/.test(v.trim()) ? "An address begins with https:// or http://." : undefined),
  });
  if (text === undefined || text.trim() === "") {
    return;
  }
  const configuration = vscode.workspace.getConfiguration("codemode");
  const servers = configuration.inspect<Record<string, unknown>>("mcpServers")?.globalValue ?? {};
  const name = await vscode.window.showInputBox({
    title: "Add MCP server",
    prompt: "A name for it; its tools are called mcp__NAME__TOOL",
    ignoreFocusOut: true,
    validateInput: (v) => (!/^[A-Za-z0-9_-]+$/.test(v) ? "Letters, digits, - and _ only." : v in servers ? "There is a server of this name." : undefined),
  });
  if (name === undefined) {
    return;
  }
  await configuration.update("mcpServers", { ...servers, [name]: kind === "url" ? { url: text.trim() } : serverFromCommand(text) }, vscode.ConfigurationTarget.Global);
  await vscode.commands.executeCommand("codemode.servers.focus");
}

async function openWorkspaceFile(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (!folder) {
    void vscode.window.showInformationMessage("Open a folder first: the file belongs to it.");
    return;
  }
  const uri = vscode.Uri.joinPath(folder, ".codemode", "mcp.json");
  if (!(await exists(uri))) {
    await vscode.workspace.fs.writeFile(uri, Buffer.from('{\n  "mcpServers": {\n    \n  }\n}\n'));
  }
  const at = new vscode.Position(2, 4);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

async function freeName(folder: vscode.Uri): Promise<string> {
  for (let n = 1; n < 100; n++) {
    const name = n === 1 ? "script.exec.ts" : `script${n}.exec.ts`;
    if (!(await exists(vscode.Uri.joinPath(folder, name)))) {
      return name;
    }
  }
  return "script.exec.ts";
}

// An agent without a model, which calls the tools of the language model API and shows their answers, and a hand that sets settings.
const { readFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

exports.activate = (context) => {
  const call = async (name, input) => {
    try {
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      void vscode.window.showInformationMessage(`The agent got: ${content.map((part) => part.value).join("").slice(0, 300)}`);
    } catch (e) {
      void vscode.window.showErrorMessage(`The agent failed: ${e.message}`);
    }
  };
  const request = join(context.extensionPath, "..", "..", "setting.json");
  context.subscriptions.push(
    vscode.commands.registerCommand("probe.setting", async () => {
      const { name, value } = JSON.parse(readFileSync(request, "utf8"));
      await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
      rmSync(request);
    }),
    vscode.commands.registerCommand("probe.exec", () => call("codemode_exec", { code: "const { sum } = await tools.mcp__box__add({ a: 40, b: 2 });\nreturn `${sum}!`;" })),
    vscode.commands.registerCommand("probe.catalog", () => call("codemode_catalog", { budgetTokens: 500 })),
  );
};

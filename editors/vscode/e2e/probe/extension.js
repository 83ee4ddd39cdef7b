// An agent without a model: it calls the tools of the language model API and shows their answers.
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
  context.subscriptions.push(
    vscode.commands.registerCommand("probe.exec", () => call("codemode_exec", { code: "const { sum } = await tools.mcp__box__add({ a: 40, b: 2 });\nreturn `${sum}!`;" })),
    vscode.commands.registerCommand("probe.catalog", () => call("codemode_catalog", { budgetTokens: 500 })),
  );
};

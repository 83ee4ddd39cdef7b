// A person's first half hour with the extension: trust the folder, approve a
// server, write a script, run it, answer prompts, read the result and the catalog.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { answer, command, dialog, end, explorer, inPanel, lens, lineOf, lowContrasts, open, page, picture, rested, result, review, setting, shot, statusBar, step, waiting } from "./workbench.mjs";

const { JOURNEY_URL, JOURNEY_SERVER } = process.env;

await step("VSC-7: in a restricted window nothing starts", async () => {
  await page.goto(JOURNEY_URL);
  const box = dialog.filter({ hasText: "trust the authors" });
  await box.waitFor();
  await box.locator(".monaco-button", { hasText: /^No/ }).click();
  await page.locator(explorer).first().waitFor();
  await open("add.exec.ts");
  await statusBar.locator(".codicon-shield").waitFor();
  assert.equal(await page.locator(".codelens-decoration a").count(), 0);
  // The language server is there all the same.
  await open("syntax.exec.ts");
  await page.locator(".squiggly-error").first().waitFor();
  assert.equal(await waiting.count(), 0);
});

await step("after trust, the user's server starts and the workspace's is asked for (TRUST-1)", async () => {
  await command("Workspaces: Manage Workspace Trust");
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
  await page.locator(".monaco-modal-editor-block .codicon-close").first().click(); // it lies over the workbench
  await page.locator(".workspace-trust-editor").waitFor({ state: "hidden" });
  const text = await answer("“local”", "start");
  assert.match(text, /codemode-ls/);
  assert.match(text, /demo/);
  assert.match(text, /mcp\.json/);
  await command("View: Show Explorer");
  await statusBar.filter({ hasText: /Code Mode: [1-9]/ }).waitFor();
});

await step("DIAG-1: a wrong argument is marked", async () => {
  await open("broken.exec.ts");
  await page.locator(".squiggly-error").first().waitFor();
});

await step("COMP-1: tools of both servers are offered", async () => {
  await open("add.exec.ts");
  await lineOf("console.log").click();
  await page.keyboard.press("End");
  await page.keyboard.type("\nawait tools.");
  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  // A tool by its own name, its server beside it.
  await rows.filter({ hasText: /^add/ }).filter({ hasText: "box" }).first().waitFor();
  await picture("editor");
  await page.keyboard.type("mcp__local__add");
  await rows.filter({ hasText: /^add/ }).filter({ hasText: "local" }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  for (let i = 0; i < "await tools.mcp__local__add\n".length; i++) await page.keyboard.press("Backspace");
});

await step("HOV-1: hover tells what a tool is", async () => {
  await page.locator(".view-line span", { hasText: /^mcp__box__add$/ }).first().hover();
  await page.locator(".monaco-hover:visible", { hasText: "mcp__box__add" }).first().waitFor();
  await shot("hover");
  await page.mouse.move(700, 880);
});

await step("PERM-6: Run asks in the list, arguments first, and takes no focus", async () => {
  await lens("Run").click();
  await waiting.waitFor();
  assert.equal(await dialog.count(), 0);
  const card = await review("add");
  const text = await card.innerText();
  assert.match(text, /"a": 20/);
  assert.match(text, /mcp__box__add/);
  assert.match(text, /add\.exec\.ts, line 2/);
  assert.ok(text.indexOf('"a": 20') < text.indexOf("Deny"), text);
  await picture("permission");
  // LENS-1: nothing is pushed apart by marks that repeat; all lenses stand above the first line.
  assert.equal(await page.locator(".codelens-decoration").count(), 1);
});

await step("PERM-7: denied, the script fails with it", async () => {
  await answer("add", "deny");
  await result("denied");
});

await step("VSC-2: allowed once, the result shows value, call and log", async () => {
  await lens("Run").click();
  await answer("add", "once");
  await result("completed");
  await inPanel('.tree:has-text("sum"):has-text("42")');
  await inPanel('.calls .name:has-text("add")');
  await inPanel('.log:has-text("the sum is")');
});

await step("DRY-1: a dry run asks nothing", async () => {
  await page.keyboard.press("Control+Shift+F5");
  await inPanel('header:has(.badge.dry)');
  await inPanel('.notice.dry:has-text("Nothing was called")');
  await inPanel('.state:has-text("would ask")');
});

await step("PERM-4: always allowed in this workspace, it asks no more", async () => {
  await lens("Run").click();
  await answer("add", "workspace");
  await result("completed");
  await (await inPanel('button[data-do="run"]')).click();
  await result("completed");
});

await step("VSC-3: prose typed while calls wait allows nothing, in any editor and any view", async () => {
  await command("View: Show Explorer");
  await open("clean.exec.ts");
  await lens("Run").click();
  await waiting.filter({ hasText: "4 waiting" }).waitFor();
  const prose = "delete nothing, yes \n and \t so on \n\n no \t\t yes \n";
  await open("prose.md");
  await page.locator(".monaco-editor.focused").first().waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(prose, { delay: 30 });
  assert.match(await page.locator(".view-lines").first().innerText(), /nothing,.yes/);
  await command("Search: Find in Files");
  await page.keyboard.type(prose, { delay: 30 });
  await command("File: Focus on Files Explorer");
  await page.keyboard.type(" y \t y ", { delay: 30 });
  // In the list itself, after having gone there by the command: letters are no answer.
  await command("Code Mode: Review Waiting Requests");
  await inPanel(".card:focus-within");
  await page.keyboard.type(prose, { delay: 30 });
  await shot("prose");
  // In the result panel.
  await (await inPanel("header h1")).click();
  await page.keyboard.type(prose, { delay: 30 });
  await waiting.filter({ hasText: "4 waiting" }).waitFor();
  const states = await (await inPanel(".calls")).innerText();
  assert.equal(states.match(/waiting for you/g)?.length, 4, states);
});

await step("VSC-3: the keyboard alone is enough, and one answer is for all calls alike", async () => {
  await command("Code Mode: Review Waiting Requests");
  const deny = await inPanel('.card [data-decide="deny"]:focus');
  await rested(deny);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await waiting.filter({ hasText: "3 waiting" }).waitFor();
  await answer("delete_file", "allow-alike");
  await result("completed");
  await waiting.waitFor({ state: "hidden" });
});

await step("VSC-5: a restarted server knows approval and rule, and the view shows the servers", async () => {
  await command("Code Mode: Restart Language Server");
  await statusBar.filter({ hasText: /Code Mode: [1-9]/ }).waitFor();
  await (await inPanel('.run:has-text("add.exec.ts")')).click();
  await inPanel('header:has-text("add.exec.ts")');
  await (await inPanel('button[data-do="run"]')).click();
  await result("completed");
  assert.equal(await waiting.count(), 0);
  await command("View: Show Explorer");
  await open("add.exec.ts");
  await command("Code Mode: Focus on MCP Servers View"); // the icon would close the side bar, which is open
  await page.locator(".pane-header", { hasText: "MCP Servers" }).waitFor();
  for (const name of ["box", "local"]) {
    await page.locator(".pane-body .monaco-list-row", { hasText: new RegExp(`${name}.*8 tools`) }).first().waitFor();
  }
  await page.locator(".pane-body .monaco-list-row", { hasText: /files.*tools/ }).first().click();
  await page.locator(".pane-body .monaco-list-row", { hasText: "delete_file" }).first().waitFor();
  await picture("servers");
});

await step("VSC-4: the catalog is the text that a model reads, for any budget", async () => {
  await command("Code Mode: Show Catalog");
  await inPanel('#catalog-text:has-text("tools.mcp__box__add(")');
  await inPanel('.summary:has-text("as flat declarations")');
  await picture("catalog");
  const slider = await inPanel("#budget");
  await slider.focus();
  await page.keyboard.press("Home");
  await inPanel('#catalog-text:has-text("PARTIAL: 1 of")');
  await shot("catalog-partial");
  await (await inPanel("#namespace")).selectOption({ index: 1 });
  await inPanel(".tool-row");
  await (await inPanel("#search")).fill("add");
  await (await inPanel('.tool-row:has-text("add")')).click();
  await inPanel('#detail:has-text("Input schema")');
  await shot("catalog-tool");
});

await step("VSC-2: a large value is named with its size and fetched when asked for", async () => {
  await command("View: Show Explorer");
  await open("large.exec.ts");
  await lineOf("return").click();
  await page.keyboard.press("F5");
  await inPanel('.omitted:has-text("MiB")');
  assert.equal(await dialog.count(), 0);
  await (await inPanel('[data-do="fetch"]')).click();
  await inPanel('.tree:has-text("60,000")');
});

await step("VSC-2: runs are side by side, and there again after a reload of the window", async () => {
  await (await inPanel('.run:has-text("clean.exec.ts")')).click();
  await inPanel('header:has-text("clean.exec.ts")');
  await page.reload();
  await page.locator(explorer).first().waitFor();
  await statusBar.filter({ hasText: /Code Mode: [1-9]/ }).waitFor();
  await command("Code Mode: Show Runs");
  for (const name of ["large.exec.ts", "clean.exec.ts", "add.exec.ts"]) {
    await inPanel(`.run:has-text("${name}")`);
  }
  assert.equal(await page.locator(".tab", { hasText: /^Runs$/ }).count(), 1);
});

await step("VSC-10: the first steps are a view and a walkthrough", async () => {
  await command("Code Mode: Open Walkthrough");
  await page.locator(".getting-started-step", { hasText: "Add an MCP server" }).first().waitFor();
});

await step("VSC-9: a recorded run is a test in the Test Explorer", async () => {
  await command("View: Show Explorer");
  await open("add.exec.ts");
  await lineOf("return").click();
  await command("Code Mode: Record Script as Test");
  await page.locator(".notification-toast", { hasText: "Recorded add.cassette.json" }).locator(".monaco-button", { hasText: "Show Tests" }).click();
  const row = page.locator(".test-explorer .monaco-list-row", { hasText: "add.exec.ts" }).first();
  await row.waitFor();
  await command("Test: Run All Tests");
  await row.locator(".codicon-testing-passed-icon").waitFor();
  await shot("tests");
});

await step("VSC-10: a language server that is killed in a run is a sentence, and is there again", async () => {
  await command("View: Show Explorer");
  await open("slow.exec.ts");
  await lens("Run").click();
  await answer("pause", "once");
  await inPanel('header:has-text("slow.exec.ts"):has(.badge.s-running)');
  await inPanel('.state:has-text("running")');
  const pid = execFileSync("pgrep", ["-f", `^${JOURNEY_SERVER} lsp`], { encoding: "utf8" }).trim().split("\n")[0];
  process.kill(Number(pid), "SIGKILL");
  await inPanel('.problem:has-text("ended while this script ran")');
  await inPanel('.problem button:has-text("Show output")');
  await inPanel('.calls:has-text("cancelled")');
  await statusBar.filter({ hasText: /Code Mode: [1-9]/ }).waitFor();
  assert.equal(await page.locator(".notification-toast", { hasText: "no longer fit" }).count(), 0); // DIAG-2
});

await step("VSC-2: the panels can be read in light, dark and both high contrasts, narrow and zoomed", async () => {
  await (await inPanel('.run:has-text("clean.exec.ts")')).click();
  for (const theme of ["Default Light Modern", "Default Dark Modern", "Default High Contrast", "Default High Contrast Light"]) {
    await setting("workbench.colorTheme", theme);
    const kind = theme.endsWith("Contrast") ? "vscode-high-contrast" : theme.endsWith("Contrast Light") ? "vscode-high-contrast-light" : theme.includes("Dark") ? "vscode-dark" : "vscode-light";
    await inPanel(`body.${kind} header h1`);
    for (const run of ["clean.exec.ts", "add.exec.ts", "slow.exec.ts"]) {
      await (await inPanel(`.run:has-text("${run}")`)).click();
      await inPanel(`header:has-text("${run}")`);
      assert.deepEqual(await lowContrasts(), [], `${theme}, ${run}`);
    }
    await shot(`theme-${kind.replace("vscode-", "")}`);
  }
  await setting("workbench.colorTheme", "Default Dark Modern");
  await page.setViewportSize({ width: 900, height: 600 }); // 1400 × 900 at 150 %
  await inPanel("body.vscode-dark header h1");
  await shot("zoomed");
  for (const frame of page.frames()) {
    const wide = await frame.evaluate(() => (document.querySelector("#main") ? document.documentElement.scrollWidth - innerWidth : 0)).catch(() => 0);
    assert.ok(wide <= 0, `the panel is ${wide} pixels wider than its place`);
  }
});

await end();

// A person's first half hour with the extension, in a real workbench: trust the
// folder, approve a server, write a script, run it, answer prompts, read the
// result and the catalog. Started by run.sh.
import assert from "node:assert/strict";

const { JOURNEY_URL, JOURNEY_OUT, JOURNEY_PLAYWRIGHT } = process.env;
const { chromium } = await import(JOURNEY_PLAYWRIGHT);

/** Long enough for the slowest machine: nothing here measures time. */
const patience = 120_000;

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  ],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(patience);

const explorer = ".explorer-folders-view .monaco-list-row";
const statusBar = page.locator('.statusbar-item[id="codemode.codemode.codemode.status"]');
const dialog = page.locator(".monaco-dialog-box");
const lens = (text) => page.locator(".codelens-decoration a", { hasText: text }).first();
const lineOf = (text) => page.locator(".view-line", { hasText: text }).first();


/** Finds a panel's frame: several webviews can be open at a time. */
async function inPanel(selector) {
  const end = Date.now() + patience;
  for (;;) {
    for (const frame of page.frames()) {
      const found = frame.locator(selector).first();
      if (await found.isVisible().catch(() => false)) return found;
    }
    if (Date.now() > end) throw new Error(`no panel shows ${selector}`);
    await page.waitForTimeout(200);
  }
}

/** Waits for the result of a run that is not the one seen last. */
let lastRun = "";
async function result(status) {
  const header = await inPanel(`header[data-run]:not([data-run=""]):not([data-run="${lastRun}"]):has(.badge.s-${status})`);
  lastRun = await header.getAttribute("data-run");
}

async function command(text) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().fill(`>${text}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first().waitFor();
  await page.keyboard.press("Enter");
}

async function open(file) {
  await page.locator(explorer, { hasText: file }).dblclick();
  await page.locator(".tab.active", { hasText: file }).first().waitFor();
}

async function answer(question, choice) {
  const box = dialog.filter({ hasText: question });
  await box.waitFor();
  const text = await box.innerText();
  await shot("asked");
  await page.waitForTimeout(1000); // an answer faster than reading is asked for again
  await box.locator(".monaco-button", { hasText: new RegExp(`^${choice}$`) }).click();
  await box.waitFor({ state: "hidden" });
  return text;
}

let shots = 0;
function shot(name) {
  return page.screenshot({ path: `${JOURNEY_OUT}/${String(++shots).padStart(2, "0")}-${name}.png` });
}

let passed = 0;
let failed = 0;
/** One step. The ones after a failure would only fail because of it: they are not tried. */
async function step(name, run) {
  if (failed > 0) return;
  try {
    await run();
    passed++;
    console.log(`ok   ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${name}\n${e.stack}`);
  }
  await shot(name.replace(/\W+/g, "-")).catch(() => undefined);
}

await step("VSC-7: in a restricted window nothing starts", async () => {
  await page.goto(JOURNEY_URL);
  const box = dialog.filter({ hasText: "trust the authors" });
  await box.waitFor();
  await box.locator(".monaco-button", { hasText: /^No/ }).click();
  await page.locator(explorer).first().waitFor();
  await open("add.exec.ts");
  await statusBar.locator(".codicon-shield").waitFor();
  assert.equal(await page.locator(".codelens-decoration a").count(), 0);
});

await step("after trust, the user's server starts and the workspace's is asked for (TRUST-1)", async () => {
  await command("Workspaces: Manage Workspace Trust");
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
  const text = await answer("“local” that this workspace names", "Start");
  assert.match(text, /codemode-ls/);
  assert.match(text, /demo/);
  assert.match(text, /mcp\.json/);
  await page.locator(".monaco-modal-editor-block .codicon-close").first().click(); // it lies over the workbench
  await page.locator(".workspace-trust-editor").waitFor({ state: "hidden" });
  await statusBar.filter({ hasText: /Codemode: [1-9]/ }).waitFor();
});

await step("DIAG-1: a wrong argument is marked", async () => {
  await open("broken.exec.ts");
  await page.locator(".squiggly-error").first().waitFor();
});

await step("COMP-1: tools of both servers are offered", async () => {
  await open("add.exec.ts");
  await lineOf("return").click();
  await page.keyboard.press("Home");
  await page.keyboard.type("await tools.");
  const rows = page.locator(".suggest-widget.visible .monaco-list-row");
  await rows.filter({ hasText: "mcp__box__add" }).first().waitFor();
  await page.keyboard.type("mcp__local__add");
  await rows.filter({ hasText: "mcp__local__add" }).first().waitFor();
  await shot("completion");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  for (let i = 0; i < "await tools.mcp__local__add".length; i++) await page.keyboard.press("Backspace");
});

await step("HOV-1: hover tells what a tool is", async () => {
  await page.locator(".view-line span", { hasText: /^mcp__box__add$/ }).first().hover();
  await page.locator(".monaco-hover:visible", { hasText: "mcp__box__add" }).first().waitFor();
  await shot("hover");
  await page.mouse.move(700, 880);
});

await step("PERM-7: Run asks, and closing the question denies", async () => {
  await lens("Run").click();
  const box = dialog.filter({ hasText: "Allow the script to call add on box?" });
  await box.waitFor();
  const text = await box.innerText();
  assert.match(text, /mcp__box__add/);
  assert.match(text, /"a": 20/);
  assert.match(text, /add\.exec\.ts, line 2/);
  await shot("permission");
  await page.keyboard.press("Escape");
  await box.waitFor({ state: "hidden" });
  await result("denied");
});

await step("VSC-2: allowed once, the result shows value, call and log", async () => {
  await lens("Run").click();
  await answer("Allow the script to call add on box?", "Allow Once");
  await result("completed");
  await inPanel('.tree:has-text("sum"):has-text("42")');
  await inPanel('.calls .name:has-text("mcp__box__add")');
  await inPanel('.log:has-text("the sum is")');
});

await step("DRY-1: a dry run asks nothing", async () => {
  await command("Codemode: Dry Run Script");
  await result("completed");
  await inPanel('.facts:has-text("dry run")');
});

await step("PERM-4: always allowed in this workspace, it asks no more", async () => {
  await lens("Run").click();
  await answer("Allow the script to call add on box?", "Always Allow…");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "In this workspace" }).click();
  await result("completed");
  await (await inPanel('button[data-do="run"]')).click();
  await result("completed");
});

await step("VSC-5: a restarted server knows approval and rule, and the view shows the servers", async () => {
  await command("Codemode: Restart Language Server");
  await statusBar.filter({ hasText: /Codemode: [1-9]/ }).waitFor();
  await (await inPanel('button[data-do="run"]')).click();
  await result("completed");
  assert.equal(await dialog.count(), 0);
  await page.locator('.activitybar [aria-label="Codemode"]').first().click();
  for (const name of ["box", "local"]) {
    await page.locator(".pane-body .monaco-list-row", { hasText: new RegExp(`${name}.*8 tools`) }).first().waitFor();
  }
  await shot("servers");
});

await step("VSC-4: the catalog is the text that a model reads, for any budget", async () => {
  await command("Codemode: Show Catalog");
  await inPanel('#catalog-text:has-text("tools.mcp__box__add(")');
  await inPanel('.summary:has-text("as flat declarations")');
  await shot("catalog");
  const slider = await inPanel("#budget");
  await slider.focus();
  await page.keyboard.press("Home");
  await inPanel('#catalog-text:has-text("PARTIAL: 1 of")');
  await shot("catalog-partial");
  await (await inPanel("#namespace")).selectOption({ index: 1 });
  await inPanel('.tool:has-text("mcp__")');
});

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

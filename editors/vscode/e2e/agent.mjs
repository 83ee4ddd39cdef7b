// GATE-3: a real agent beside the workbench. Its call is asked for here, by its name, its run shows here, and what a person
// allows arrives there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { answer, command, dialog, end, inPanel, open, page, result, shot, statusBar, step } from "./workbench.mjs";

const { JOURNEY_URL, JOURNEY_AGENT, JOURNEY_FOLDER, JOURNEY_HOME, JOURNEY_SERVER } = process.env;

await step("GATE-3: an agent's call is asked for in the workbench, and its result arrives", async () => {
  await page.goto(JOURNEY_URL);
  await dialog.filter({ hasText: "trust the authors" }).locator(".monaco-button", { hasText: /^Yes/ }).click();
  await open("one.exec.ts"); // the extension starts with the first script
  await statusBar.filter({ hasText: /Code Mode: [1-9]/ }).waitFor();
  const agent = spawn("bash", [new URL("agent.sh", import.meta.url).pathname, JOURNEY_SERVER, JOURNEY_FOLDER, JOURNEY_AGENT], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HOME: JOURNEY_HOME, XDG_RUNTIME_DIR: JOURNEY_HOME, XDG_CONFIG_HOME: `${JOURNEY_HOME}/config` },
  });
  let shown = "";
  agent.stdout.on("data", (part) => (shown += part));
  const ended = new Promise((resolve) => agent.on("exit", resolve));
  const text = await answer("echo", "once");
  assert.match(text, /for the agent “gemini/);
  assert.match(text, /from an agent/);
  assert.equal(await ended, 0);
  assert.match(shown, /from an agent, with permission/);
});

await step("GATE-3, GATE-5: its run is among the runs, with its name, and its script can be kept", async () => {
  await command("Code Mode: Show Runs");
  await result("completed");
  await inPanel('.run:has-text("a script of gemini")');
  await inPanel('button[data-do="keep"]');
  await shot("run-of-an-agent");
});

await end();

// A real workbench in a real browser, and how a person uses it: what the journeys
// have in common.
import { existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const { JOURNEY_OUT, JOURNEY_PLAYWRIGHT, JOURNEY_ROOT, JOURNEY_IMAGES, JOURNEY_STEPS } = process.env;
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
export const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(patience);

export const explorer = ".explorer-folders-view .monaco-list-row";
export const statusBar = page.locator('.statusbar-item[id="codemode.codemode.codemode.status"]');
export const waiting = page.locator('.statusbar-item[id="codemode.codemode.codemode.waiting"]');
export const dialog = page.locator(".monaco-dialog-box");
export const lens = (text) => page.locator(".codelens-decoration a", { hasText: text }).first();
export const lineOf = (text) => page.locator(".view-line", { hasText: text }).first();

/** Finds a panel's frame: several webviews can be open at a time. */
export async function inPanel(selector) {
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
export async function result(status) {
  const header = await inPanel(`header[data-run]:not([data-run=""]):not([data-run="${lastRun}"]):has(.badge.s-${status})`);
  lastRun = await header.getAttribute("data-run");
}

export async function command(text) {
  const input = page.locator(".quick-input-widget input").first();
  // What takes the focus in between closes the list again.
  for (let attempt = 1; ; attempt++) {
    try {
      await page.keyboard.press("F1");
      await input.fill(`>${text}`, { timeout: 5_000 });
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).first().waitFor({ timeout: 10_000 });
      await input.press("Enter", { timeout: 5_000 });
      return;
    } catch (error) {
      if (attempt === 5) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

export async function open(file) {
  await page.locator(explorer, { hasText: file }).dblclick();
  await page.locator(".tab.active", { hasText: file }).first().waitFor();
}

/** Opens the list of what waits, as a person does who has seen the mark in the status bar. */
export async function review(title) {
  await waiting.waitFor();
  await waiting.click();
  const card = await inPanel(`.card:has(h2:has-text("${title}"))`);
  await shot("asked");
  return card;
}

/** Answers a card by the mouse: its buttons rest until it has been in view for a moment. */
export async function answer(title, decide) {
  await review(title);
  // The view may be loaded once more when it is shown: then the card is in another frame.
  for (let attempt = 1; ; attempt++) {
    try {
      const card = await inPanel(`.card:has(h2:has-text("${title}"))`);
      const text = await card.innerText({ timeout: 10_000 });
      await press(card.locator(`[data-decide="${decide}"]`));
      return text;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

export async function press(button) {
  await button.waitFor({ state: "attached", timeout: 10_000 });
  const folded = button.locator("xpath=ancestor::details[not(@open)]/summary");
  if ((await folded.count()) > 0) await folded.click();
  await rested(button);
  await button.click({ timeout: 30_000 });
}

/** The buttons of the list rest until it has been in view, unchanged, for a moment. */
export async function rested(button) {
  while ((await button.getAttribute("data-resting", { timeout: 10_000 })) !== null) await page.waitForTimeout(100);
}

let shots = 0;
export function shot(name) {
  return page.screenshot({ path: `${JOURNEY_OUT}/${basename(process.argv[1], ".mjs")}-${String(++shots).padStart(2, "0")}-${name}.png` });
}

/** A screenshot, also for the documents when they are being renewed (E2E_IMAGES). */
export async function picture(name) {
  await shot(name);
  if (JOURNEY_IMAGES) await page.screenshot({ path: `${JOURNEY_IMAGES}/${name}.png` });
}

/** Sets a setting of the user; undefined resets it. The extension for tests does it: not everywhere is a change of the file noticed. */
export async function setting(name, value) {
  const request = `${JOURNEY_ROOT}/setting.json`;
  writeFileSync(request, JSON.stringify({ name, value }));
  await command("Probe: Apply a Setting");
  while (existsSync(request)) await page.waitForTimeout(100);
}

/** The texts of this extension's panels whose contrast is below 4.5:1, as they are drawn. */
export async function lowContrasts() {
  const low = [];
  for (const frame of page.frames()) {
    if (!(await frame.locator("#main, #cards, #catalog-text, .card").count().catch(() => 0))) continue;
    low.push(...(await frame.evaluate(() => {
      const channels = (css) => {
        const numbers = (css.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
        return css.startsWith("color(srgb") ? [...numbers.slice(0, 3).map((n) => n * 255), numbers[3] ?? 1] : [...numbers.slice(0, 3), numbers[3] ?? 1];
      };
      const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
      const background = (element) => {
        const layers = [];
        for (let e = element; e; e = e.parentElement) layers.push(channels(getComputedStyle(e).backgroundColor));
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
      };
      const luminance = (rgb) => {
        const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const found = [];
      for (const e of document.body.querySelectorAll("*")) {
        const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(" ").trim();
        if (text === "" || e.closest("[data-resting], [disabled], style, script") || e.getClientRects().length === 0) continue;
        const behind = background(e);
        const [a, b] = [luminance(over(channels(getComputedStyle(e).color), behind)), luminance(behind)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className} “${text.slice(0, 40)}”`);
      }
      return found;
    })));
  }
  return [...new Set(low)];
}

let passed = 0;
let failed = 0;
/** One step. The ones after a failure would only fail because of it: they are not tried. */
export async function step(name, run) {
  if (failed > 0 || !new RegExp(JOURNEY_STEPS ?? "").test(name)) return;
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

/** The end of a journey. */
export async function end() {
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

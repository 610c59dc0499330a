// The plugin's pages in a real browser over the real server: pictures, sizes, a killed server, and typing without pauses.
//
// node test/looks/look.mjs SERVER VAULT PICTURES; the browser is VAULTSEEK_CHROMIUM.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, vault, pictures] = process.argv.slice(2).map((each) => resolve(each));
const { chromium } = createRequire(resolve("../vscode/test/e2e/package.json"))("playwright-core");
const out = "build/looks";
mkdirSync(pictures, { recursive: true });
const STUBS = {
  "node:path": "export const join = (...parts) => parts.join('/');",
  "node:url": "export const pathToFileURL = (path) => ({ href: 'file://' + encodeURI(path) });",
};
await build({
  entryPoints: ["test/looks/page.ts"],
  outfile: `${out}/page.js`,
  bundle: true,
  platform: "browser",
  format: "iife",
  target: "es2022",
  logLevel: "warning",
  alias: { obsidian: "./test/stand-in/obsidian.ts" },
  define: { "process.platform": '"linux"', "process.env": "{}" },
  plugins: [
    {
      name: "outside",
      setup(on) {
        on.onResolve({ filter: /\/server\/client$/ }, () => ({ path: resolve("test/looks/bridge.ts") }));
        on.onResolve({ filter: /\/server\/machine$/ }, () => ({ path: "machine", namespace: "stub" }));
        on.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "stub" }));
        on.onLoad({ filter: /.*/, namespace: "stub" }, ({ path }) => ({ contents: STUBS[path] ?? "export const machine = () => undefined;" }));
      },
    },
  ],
});
await build({ entryPoints: ["src/server/client.ts", "src/server/machine.ts"], outdir: `${out}/server`, bundle: true, platform: "node", format: "cjs", target: "es2022", outExtension: { ".js": ".cjs" }, nodePaths: ["node_modules"], logLevel: "warning" });
const { Server } = (await import(pathToFileURL(resolve(out, "server/client.cjs")).href)).default;
const { machine } = (await import(pathToFileURL(resolve(out, "server/machine.cjs")).href)).default;

const cache = mkdtempSync(join(tmpdir(), "vaultseek-looks-"));
const server = new Server({
  root: vault,
  version: "0.1.0",
  machine: () => machine(program),
  settings: () => ({ indexFolder: cache, enableSemantic: false }),
  tell: (message) => console.log(message),
});
const browser = await chromium.launch({ executablePath: process.env.VAULTSEEK_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const notes = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));

async function open({ theme, width, height = 720, files = notes }) {
  const page = await browser.newPage({ viewport: { width, height } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => (message.type() === "error" ? errors.push(message.text()) : undefined));
  const aborts = new Map();
  await page.exposeFunction("ask", async (id, method, params) => {
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      return { answer: await server.request(method, params, { signal: abort.signal, onPart: (part) => void page.evaluate(([at, each]) => window.part(at, each), [id, part]).catch(() => undefined) }) };
    } catch (error) {
      return { error: error.message, code: error.code, isNoServer: error.constructor.name === "NoServer" };
    } finally {
      aborts.delete(id);
    }
  });
  await page.exposeFunction("cancel", (id) => aborts.get(id)?.abort());
  await page.exposeFunction("tell", (method, params) => server.notify(method, params));
  await page.exposeFunction("restartServer", () => server.restart());
  const show = () => void page.evaluate((problem) => window.problem?.(problem), server.problem).catch(() => undefined);
  server.onChange.add(show);
  await page.setContent(`<!DOCTYPE html><html lang="en"><body class="theme-${theme}"></body></html>`);
  await page.addStyleTag({ content: readFileSync("test/looks/theme.css", "utf8") + readFileSync("styles.css", "utf8") });
  await page.addScriptTag({ content: readFileSync(`${out}/page.js`, "utf8") });
  await page.evaluate(([root, paths]) => window.start(root, paths), [vault, files]);
  const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });
  const close = async () => {
    server.onChange.delete(show);
    assert.deepEqual(errors, []);
    await page.close();
  };
  return { page, picture, close };
}

const whole = (page) => page.waitForFunction(() => document.querySelector(".vaultseek-results[aria-busy=false] .vaultseek-result") !== null, undefined, { timeout: 60_000 });
/** Elements that are wider than their page. */
const tooWide = (page) =>
  page.evaluate(() => Array.from(document.querySelectorAll("[class*=vaultseek]:not(.vaultseek-spoken), .setting-item, .setting-item input"), (each) => [each.className, each.getBoundingClientRect()])
    .filter(([, { left, right }]) => left < -1 || right > window.innerWidth + 1).map(([name, { left, right }]) => `${name} ${left} ${right}`));

async function modal(theme, width, name) {
  const { page, picture, close } = await open({ theme, width });
  await page.evaluate(() => window.run("search"));
  await page.locator("input.vaultseek-query").pressSequentially("limit switch ice", { delay: 15 });
  await whole(page);
  await picture(`modal-${name}`);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".explanation .segment");
  await picture(`modal-why-${name}`);
  assert.deepEqual(await tooWide(page), []);
  await page.locator("input.vaultseek-query").fill("the limit switch of the shed door sticks after a storm");
  await page.waitForSelector(".vaultseek-fold", { timeout: 30_000 });
  await whole(page);
  await page.keyboard.press("End");
  for (let n = 0; !(await page.locator(".vaultseek-fold.is-active").count()) && n < 40; n += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await picture(`modal-folded-${name}`);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await picture(`modal-unfolded-${name}`);
  assert.deepEqual(await tooWide(page), []);
  await page.locator("input.vaultseek-query").fill("xyzzyq plugh");
  await page.waitForFunction(() => document.querySelector(".vaultseek-count").textContent.includes("Shift+Enter creates"), undefined, { timeout: 30_000 });
  await picture(`modal-none-${name}`);
  await close();
}

async function views(theme, width, name) {
  const { page, picture, close } = await open({ theme, width });
  await page.evaluate((path) => window.open(path), notes.find((each) => each.startsWith("Handbook/")) ?? notes[0]);
  await page.evaluate(() => window.run("show-search"));
  await page.locator("[data-type=vaultseek-search] input.vaultseek-query").fill("limit switch ice");
  await whole(page);
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".explanation .segment");
  await picture(`search-view-${name}`);
  await page.keyboard.press("Control+.");
  await page.locator("[data-type=vaultseek-search] input.vaultseek-query").fill("the limit switch of the shed door sticks after a storm");
  await page.locator(".vaultseek-fold").scrollIntoViewIfNeeded({ timeout: 30_000 });
  await picture(`search-view-folded-${name}`);
  assert.deepEqual(await tooWide(page), []);
  if (width < 400) {
    await page.evaluate(() => document.querySelector("[data-type=vaultseek-search]").remove());
  }
  await page.evaluate(() => window.run("show-related"));
  await page.waitForSelector("[data-type=vaultseek-related] .vaultseek-result", { timeout: 60_000 });
  await picture(`related-view-${name}`);
  assert.deepEqual(await tooWide(page), []);
  await close();
}

async function settings(theme, width, name) {
  const { page, picture, close } = await open({ theme, width, height: 1000 });
  await page.evaluate(() => window.showSettings());
  await page.locator("input[placeholder='30']").fill("500");
  await picture(`settings-${name}`);
  assert.deepEqual(await tooWide(page), []);
  await page.evaluate(() => document.querySelector(".vaultseek-endpoint").scrollIntoView());
  await picture(`settings-endpoints-${name}`);
  await close();
}

async function cards(theme, width, name) {
  const { page, picture, close } = await open({ theme, width });
  await page.evaluate(() => window.run(innerWidth < 400 ? "show-search" : "search"));
  for (const problem of [{ kind: "missing" }, { kind: "crashing", log: ["Traceback (most recent call last):", "ModuleNotFoundError: No module named 'numpy'"] }, { kind: "version", server: "0.0.9", plugin: "0.1.0" }]) {
    await page.evaluate((each) => window.problem(each), problem);
    await page.waitForSelector(".vaultseek-card");
    await picture(`card-${problem.kind}-${name}`);
    assert.deepEqual(await tooWide(page), []);
  }
  await close();
}

/** A server killed while the user types is started again, and the search on the screen is answered. */
async function killed() {
  const { page, close } = await open({ theme: "dark", width: 1000 });
  await page.evaluate(() => window.run("search"));
  await page.locator("input.vaultseek-query").fill("limit");
  await whole(page);
  for (let n = 0; n < 3; n += 1) {
    process.kill(server.pid, "SIGKILL");
    await page.locator("input.vaultseek-query").pressSequentially(" ice", { delay: 10 });
    await whole(page);
    await page.waitForFunction(() => document.querySelector(".vaultseek-card") === null, undefined, { timeout: 60_000 });
    await page.waitForFunction(() => /\d+ notes?\./u.test(document.querySelector(".vaultseek-count").textContent), undefined, { timeout: 60_000 });
  }
  await close();
  console.log("killed three times while typing: answered each time");
}

const countLongTasks = (page) =>
  page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: "longtask" });
  });

/** A vault of 50,000 files, all of which change while the user types: nothing holds up the page. */
async function many() {
  const files = [...notes, ...Array.from({ length: 50_000 - notes.length }, (_each, at) => `Many/${at % 500}/Note ${at}.md`)];
  const { page, close } = await open({ theme: "dark", width: 1000, files });
  await page.evaluate(() => window.run("search"));
  await page.locator("input.vaultseek-query").fill("ice");
  await whole(page);
  await countLongTasks(page);
  const changed = page.evaluate(async () => {
    const paths = [...window.app.vault.files.keys()];
    for (let at = 0; at < paths.length; at += 1000) {
      paths.slice(at, at + 1000).forEach((path) => window.app.vault.trigger("modify", window.app.vault.getFileByPath(path)));
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  await page.locator("input.vaultseek-query").pressSequentially(" on the limit switch of the shed door", { delay: 40 });
  await changed;
  await whole(page);
  await page.waitForTimeout(3_000); // the last of the groups
  const long = await page.evaluate(() => window.long);
  await close();
  console.log(`50,000 files changed: ${long.length} tasks over 50 ms${long.length === 0 ? "" : `, the longest ${Math.max(...long)} ms`}`);
  return long;
}

/** Types without a pause for a while. Nothing may hold up the page, and the last query is the one that is answered. */
async function soak() {
  const { page, close } = await open({ theme: "dark", width: 1000 });
  await page.evaluate(() => window.run("search"));
  const input = page.locator("input.vaultseek-query");
  await input.fill("ice");
  await whole(page);
  await countLongTasks(page);
  const words = "the limit switch of the shed door sticks after a storm because ice creeps under the bevel telescope mount declination".split(" ");
  let nKeys = 0;
  for (let n = 0; n < 40; n += 1) {
    const word = words[(n * 7) % words.length];
    await input.pressSequentially(`${word} `, { delay: 25 });
    nKeys += word.length + 1;
    if (n % 3 === 2) {
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Backspace");
      nKeys += 2;
    }
  }
  await input.fill("limit switch");
  await whole(page);
  const first = await page.locator(".vaultseek-title").first().textContent();
  const { results } = await server.request("vaultseek/search", { query: "limit switch" });
  assert.equal(first, results[0].title);
  const long = await page.evaluate(() => window.long);
  await close();
  console.log(`${nKeys} keys: ${long.length} tasks over 50 ms${long.length === 0 ? "" : `, the longest ${Math.max(...long)} ms`}`);
  return long;
}

try {
  for (const theme of ["dark", "light"]) {
    await modal(theme, 1000, theme);
    await views(theme, 900, theme);
    await settings(theme, 800, theme);
    await cards(theme, 1000, theme);
    await views(theme, 220, `${theme}-220`);
    await cards(theme, 220, `${theme}-220`);
    await settings(theme, 220, `${theme}-220`);
  }
  await modal("dark", 400, "dark-400");
  await killed();
  const long = [...(await many()), ...(await soak())];
  assert.deepEqual(long, []);
} finally {
  await browser.close();
  await server.stop();
  rmSync(cache, { recursive: true, force: true });
}

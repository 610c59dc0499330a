// The extension as a user has it: the packed .vsix in a real VS Code, with the real server.
//
//   node test/e2e/suite.mjs PATH/TO/vaultseek PATH/TO/handbook [FOLDER FOR PICTURES]

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Editor, LONG, makeVault } from "./editor.mjs";

const [program, handbook, pictures] = process.argv.slice(2).map((path) => resolve(path));
const parent = mkdtempSync(join(tmpdir(), "vaultseek-e2e-"));
const vault = makeVault(parent, handbook);
const checks = [];
const only = process.env.ONLY;

function check(name, run) {
  checks.push({ name, run });
}

async function until(claim, what, limit = LONG) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    try {
      last = await claim();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 150));
  }
  throw new Error(`${what} did not come to be; last: ${String(last)}`);
}

/** Types into the palette as a person does, key by key. */
async function type(editor, text) {
  await editor.page.locator(".quick-input-title", { hasText: /Search|Insert/u }).waitFor();
  await editor.input.pressSequentially(text, { delay: 25 });
}

const isWhole = async (editor) => !(await editor.page.locator(".quick-input-progress.active").isVisible());
const labels = (editor) => editor.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));

check("palette: typed key by key, the note that is meant comes first", async (editor) => {
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "orchid care");
  await until(async () => (await labels(editor))[0]?.startsWith("Orchid care"), "the note as the first row");
  await editor.picture("palette");
  const first = (await labels(editor))[0];
  assert.match(first, /Title is exactly/u, first);
});

check("palette: Enter opens at the matching line with the match selected", async (editor) => {
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "zebrawood");
  await until(async () => (await labels(editor))[0]?.startsWith("Prices") && (await isWhole(editor)), "the row");
  await editor.page.keyboard.press("Enter");
  await editor.page.locator(".tab.active", { hasText: "dollar $x$" }).waitFor();
  await editor.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  await until(async () => (await editor.page.locator(".statusbar").innerText()).replace(/\s+/gu, " ").includes("Ln 3, Col 14 (9 selected)"), "the selection of zebrawood in line 3");
});

check("settings: a change holds at the next search, without a reload", async (editor) => {
  editor.writeSettings({ "vaultseek.maxResults": 1 });
  await until(async () => {
    await editor.command("Vaultseek: Search Vault");
    await type(editor, "orchid");
    await until(async () => (await editor.rows.count()) > 0, "a row", 10_000);
    await until(() => isWhole(editor), "the whole answer", 10_000);
    const n = await editor.rows.count();
    console.log(`        ${String(n)} rows`);
    await editor.page.keyboard.press("Escape");
    return n === 1;
  }, "one row");
  editor.writeSettings({ "vaultseek.maxResults": 30 });
});

check("palette: what is not saved is found", async (editor) => {
  await editor.openFile("Orchid care.md");
  await editor.page.locator(".monaco-editor.focused, .monaco-editor").first().click();
  await editor.page.keyboard.press("Control+End");
  await editor.page.keyboard.type("\nquokkaberry is new here");
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "quokkaberry");
  await until(async () => (await labels(editor))[0]?.startsWith("Orchid care"), "the unsaved text");
  await editor.page.keyboard.press("Escape");
});

check("palette: where nothing fits, a note can be made where Obsidian makes them", async (editor) => {
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "xyzzy plugh");
  await until(async () => (await labels(editor)).at(-1)?.includes("Create"), "the offer");
  await editor.rows.last().click();
  await editor.page.locator(".tab.active", { hasText: "xyzzy plugh.md" }).waitFor();
  assert.ok(existsSync(join(vault, "Inbox/xyzzy plugh.md")));
});

check("insert link: the chosen note is linked at the cursor", async (editor) => {
  await editor.openFile("xyzzy plugh.md");
  await editor.page.locator(".editor-instance .monaco-editor").first().click();
  await editor.command("Vaultseek: Insert Link to Search Result");
  await type(editor, "orchid care");
  await until(async () => (await labels(editor))[0]?.startsWith("Orchid care"), "the row");
  await editor.page.keyboard.press("Enter");
  await until(async () => (await editor.page.locator(".editor-instance .view-lines").first().innerText()).includes("[[Orchid"), "the link");
});

check("why: the explanation opens beside", async (editor) => {
  await editor.openFile("Orchid care.md");
  await editor.command("Vaultseek: Why (Not) This Note");
  await editor.input.fill("rain water");
  await editor.page.keyboard.press("Enter");
  await editor.page.locator(".tab", { hasText: "Why Orchid care" }).waitFor();
  await until(async () => (await editor.page.locator(".editor-instance .view-lines").allInnerTexts()).some((text) => text.replace(/\s/gu, " ").includes("lexical")), "its words");
  await editor.picture("why");
  await editor.command("View: Close All Editor Groups");
});

check("sidebar: search, highlighted matches, explanation, keyboard", async (editor) => {
  await editor.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').click();
  const query = editor.webview.locator("input.query");
  await query.fill("orchid water");
  await until(async () => (await editor.webview.locator(".result").count()) > 1, "results");
  assert.equal((await editor.webview.locator(".result .title").first().innerText()).trim(), "Orchid care");
  assert.ok((await editor.webview.locator(".result mark").count()) > 0);
  await until(async () => (await editor.webview.locator(".results").getAttribute("aria-busy")) === "false", "the whole answer");
  await query.press("Control+.");
  await editor.webview.locator(".explanation .segment").first().waitFor();
  await editor.picture("sidebar");
  await query.press("Enter");
  await editor.page.locator(".tab.active", { hasText: "Orchid care" }).waitFor();
  await editor.webview.locator("[data-value=keyword]").click();
  await until(async () => (await editor.webview.locator("[data-value=keyword]").getAttribute("aria-checked")) === "true", "the mode");
});

check("related: the tree follows the active editor and says why", async (editor) => {
  const title = editor.page.locator(".pane-header", { hasText: "Related Notes" }).first();
  if ((await title.getAttribute("aria-expanded")) !== "true") {
    await title.click();
  }
  await editor.openFile("dollar $x$ & 100%.md");
  const rows = editor.page.locator('.pane:has(.pane-header[aria-label*="Related"]) .monaco-list-row');
  await until(async () => (await rows.allInnerTexts()).some((text) => text.includes("Orchid care")), "the linked note");
  assert.match((await rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label")))).join("\n"), /Orchid care, already linked/u);
  await editor.picture("related");
  await editor.openFile("知識ノート.md");
  await until(async () => (await editor.page.locator('.pane:has(.pane-header[aria-label*="Related"]) .pane-header').innerText()).includes("知識ノート"), "the other note's name");
});

check("hover: a link shows the note that it leads to", async (editor) => {
  await editor.openFile("dollar $x$ & 100%.md");
  await editor.page.locator(".editor-instance .view-lines").first().click();
  await editor.page.keyboard.press("Control+G");
  await editor.input.fill(":3:40");
  await editor.page.keyboard.press("Enter");
  await until(async () => {
    await editor.page.keyboard.press("Control+K");
    await editor.page.keyboard.press("Control+I");
    await editor.page.locator(".monaco-hover:not(.hidden)", { hasText: "rain water" }).first().waitFor({ timeout: 4_000 });
    return true;
  }, "the hover");
  await editor.picture("hover");
});

check("index: rebuilt with progress, and stopped", async (editor) => {
  await editor.command("Vaultseek: Rebuild Index");
  const toast = editor.page.locator(".notification-list-item", { hasText: "Rebuilding" }).first();
  await toast.waitFor();
  await editor.picture("progress");
  const cancel = toast.locator(".monaco-button", { hasText: "Cancel" });
  if (await cancel.isVisible()) {
    await cancel.click();
  }
  await toast.waitFor({ state: "detached" });
});

check("server: killed, it is started again", async (editor) => {
  const pids = () => {
    try {
      return execFileSync("pgrep", ["-f", `${program} serve`], { encoding: "utf8" }).trim().split("\n");
    } catch {
      return [];
    }
  };
  const before = await until(() => pids().length > 0 && pids(), "a server");
  for (const pid of before) {
    process.kill(Number(pid), "SIGKILL");
  }
  await until(() => pids().some((pid) => !before.includes(pid)), "another server");
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "orchid care");
  await until(async () => (await labels(editor))[0]?.startsWith("Orchid care"), "the first row");
  await editor.page.keyboard.press("Escape");
});

check("light: the same in a light theme and a narrow side bar", async (editor) => {
  editor.writeSettings({ "workbench.colorTheme": "Default Light Modern" });
  await editor.open(vault, { width: 900 });
  await editor.page.locator(".monaco-workbench.vs").waitFor();
  await editor.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').waitFor();
  if (!(await editor.page.locator("iframe.webview").first().isVisible())) {
    await editor.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').click();
  }
  await editor.webview.locator("input.query").fill("orchid water");
  await until(async () => (await editor.webview.locator(".result").count()) > 1, "results");
  await editor.picture("sidebar-light");
  editor.writeSettings({ "workbench.colorTheme": "Default Dark Modern" });
});

check("untrusted: words alone are searched", async (editor) => {
  editor.writeSettings({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.emptyWindow": false });
  await editor.open(vault);
  await editor.command("Vaultseek: Search Vault");
  await type(editor, "orchid care");
  await until(async () => (await labels(editor))[0]?.startsWith("Orchid care"), "the first row");
  await editor.page.waitForTimeout(1_500);
  assert.doesNotMatch((await labels(editor)).join("\n"), /similar in meaning/iu);
  await editor.picture("untrusted");
  await editor.page.keyboard.press("Escape");
});

const vsix = resolve("vaultseek.vsix");
assert.ok(existsSync(vsix), `${vsix} is missing: npm run package`);
const editor = await Editor.start({
  vsix,
  pictures,
  settings: { "security.workspace.trust.enabled": false },
  machine: { "vaultseek.server.command": [program, "serve"] },
});
let nFailed = 0;
try {
  await editor.open(vault);
  for (const { name, run } of checks) {
    if (only !== undefined && !new RegExp(only, "u").test(name)) {
      continue;
    }
    const start = Date.now();
    try {
      await run(editor);
      console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      nFailed += 1;
      await editor.picture(`failed-${String(nFailed)}`).catch(() => undefined);
      console.log(`FAILED  ${name}\n${String(error?.stack ?? error)}`);
    }
  }
} finally {
  await editor.stop();
  rmSync(parent, { recursive: true, force: true });
}
console.log(nFailed === 0 ? "all passed" : `${String(nFailed)} failed`);
process.exit(nFailed === 0 ? 0 : 1);

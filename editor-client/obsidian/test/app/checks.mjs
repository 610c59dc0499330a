// What only the real app can show: the plugin loads, finds notes, opens them, and takes its server with it when it is turned off.
// It has not been run yet.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

const { $, $$, browser } = globalThis;
const program = process.env.VAULTSEEK;

/** The servers that run for this program; there is no such list on Windows. */
function servers() {
  const lines = execFileSync("ps", ["-A", "-o", "command"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(`${program} serve`));
}

const activeFile = () => browser.executeObsidian(({ app }) => app.workspace.getActiveFile()?.path);

async function search(text) {
  await browser.executeObsidianCommand("vaultseek:search");
  const input = $(".vaultseek-modal input.vaultseek-query");
  await input.waitForDisplayed();
  await input.setValue(text);
  await browser.waitUntil(async () => (await $$(".vaultseek-modal .vaultseek-result").length) > 0, { timeoutMsg: `results for ${text}` });
}

describe("Vaultseek in Obsidian", () => {
  before(async () => {
    assert.ok(program, "VAULTSEEK must be the path of the server's program");
    await browser.executeObsidian(async ({ app }, path) => {
      const plugin = app.plugins.plugins.vaultseek;
      await plugin.store.changeServerPath(path);
      await plugin.server.restart();
    }, program);
  });

  afterEach(async () => {
    await browser.keys("Escape");
  });

  it("finds notes as you type, and Enter opens the first", async () => {
    await search("limit switch ice");
    const first = await $(".vaultseek-modal .vaultseek-result .vaultseek-title").getText();
    await browser.keys("Enter");
    await browser.waitUntil(async () => (await activeFile())?.endsWith(`${first}.md`), { timeoutMsg: `the note ${first}` });
  });

  it("searches text that is not saved yet", async () => {
    await browser.executeObsidian(async ({ app, obsidian }) => {
      const file = app.vault.getMarkdownFiles()[0];
      const leaf = app.workspace.getLeaf(true);
      await leaf.openFile(file, { state: { mode: "source" } });
      app.workspace.getActiveViewOfType(obsidian.MarkdownView).editor.replaceSelection("quaggazebra ");
    });
    const path = await activeFile();
    await search("quaggazebra");
    const title = await $(".vaultseek-modal .vaultseek-result .vaultseek-title").getText();
    assert.ok(path.endsWith(`${title}.md`), `${title} is not ${path}`);
  });

  it("shows the search and the related notes in the side bar", async () => {
    await browser.executeObsidianCommand("vaultseek:show-search");
    await $(".workspace-leaf-content .vaultseek-view input.vaultseek-query").waitForExist();
    await browser.executeObsidian(({ app }) => app.workspace.openLinkText("Mirror washing", ""));
    await browser.executeObsidianCommand("vaultseek:show-related");
    await $('.vaultseek-view [aria-label="Related notes"] .vaultseek-result').waitForExist();
  });

  it("ends its server when it is turned off, and starts one when it is turned on", async () => {
    await browser.waitUntil(() => servers().length === 1, { timeoutMsg: "one server" });
    await browser.executeObsidian(({ app }) => app.plugins.disablePlugin("vaultseek"));
    await browser.waitUntil(() => servers().length === 0, { timeoutMsg: "no server" });
    await browser.executeObsidian(({ app }) => app.plugins.enablePlugin("vaultseek"));
    await search("lightning");
    assert.equal(servers().length, 1);
  });
});

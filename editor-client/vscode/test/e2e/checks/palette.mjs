// The palette: results as one types, and what can be done with them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../editor.mjs";

export const checks = {
  "palette: typed key by key, the note that is meant comes first, with its reason": async (editor) => {
    await editor.search("orchid care");
    const labels = await editor.answered((rows) => rows.length > 1 && rows[0].startsWith("Orchid care"), "the note as the first of several rows");
    assert.match(labels[0], /^Orchid care, Ünï cødé .* exact 1\.00 .* Title is exactly .*, Water the orchid with rain water\./u);
    assert.ok(!labels.some((label) => label.includes("Create")), labels.join("\n"));
    await editor.picture("palette");
  },

  "palette: weak results are below a separator": async (editor) => {
    await editor.search("orchid care mirror washing zebrawood");
    await editor.answered((rows) => rows.some((row) => / weak 0\.\d\d/u.test(row)), "weak results");
    const separator = editor.page.locator(".quick-input-list-separator:visible", { hasText: /\d+ weak results?/u });
    await separator.waitFor();
    const labels = await editor.rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label")));
    const weak = labels.map((label) => / weak 0\.\d\d/u.test(label));
    assert.deepEqual(weak, weak.toSorted(), labels.join("\n"));
    await editor.picture("palette-weak");
    await editor.page.keyboard.press("Escape");
  },

  "palette: Enter opens at the matching line with the match selected": async (editor) => {
    await editor.search("zebrawood");
    await editor.answered((rows) => rows[0]?.startsWith("Prices") && rows[0].includes('"zebrawood" in'), "the note, for the whole word");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "dollar $x$ & 100%.md" }).waitFor();
    await editor.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await until(async () => (await editor.statusBar()).includes("Ln 3, Col 14 (9 selected)"), "the selection of zebrawood in line 3");
  },

  "palette: a match after emoji is selected at its place": async (editor) => {
    await editor.search("glühwein");
    await editor.answered((rows) => rows[0]?.startsWith("Party 🎉") && /"gl[uü]hwein" in/u.test(rows[0]), "the note, for the whole word");
    await editor.page.keyboard.press("Enter");
    await until(async () => (await editor.statusBar()).includes("Ln 3, Col 16 (8 selected)"), "the selection of glühwein");
  },

  "palette: Escape restores what was open before any preview, even one of an earlier palette": async (editor) => {
    await editor.openFile("Glossary.md");
    await editor.search("蘭の水やり");
    await editor.answered((rows) => rows[0]?.startsWith("知識ノート"), "the note");
    await editor.page.locator(".tab.active", { hasText: "知識ノート.md" }).waitFor();
    await editor.page.keyboard.press("Escape");
    await editor.page.keyboard.press("Control+Alt+F"); // while the first palette is still restoring
    await editor.page.locator(".quick-input-title", { hasText: "Search Vault" }).waitFor();
    await editor.input.pressSequentially("zebrawood", { delay: 20 });
    await editor.answered((rows) => rows[0]?.startsWith("Prices"), "the other note");
    await editor.page.locator(".tab.active", { hasText: "dollar" }).waitFor();
    await editor.page.keyboard.press("Escape");
    await editor.page.locator(".tab.active", { hasText: "Glossary.md" }).waitFor();
    await until(async () => (await editor.page.locator(".tab.italic, .tab:has(.italic)").count()) === 0, "no preview tab");
  },

  "palette: one button opens to the side, another explains": async (editor) => {
    await editor.search("zebrawood");
    await editor.answered((rows) => rows[0]?.startsWith("Prices"), "the note");
    await editor.rows.first().hover();
    await editor.rows.first().locator(".codicon-split-horizontal").click();
    await until(async () => (await editor.page.locator(".editor-group-container").count()) === 2, "a second group");
    await editor.page.locator(".editor-group-container.active .tab.active", { hasText: "dollar" }).waitFor();
    await editor.closeAll();
    await editor.search("zebrawood");
    await editor.answered((rows) => rows[0]?.startsWith("Prices"), "the note");
    await editor.rows.first().hover();
    await editor.rows.first().locator(".codicon-question").click();
    await editor.page.locator(".tab", { hasText: "Why Prices" }).waitFor();
    await until(async () => (await editor.texts()).some((text) => text.includes("number 1 of")), "the explanation");
    await editor.closeAll();
  },

  "palette: unsaved text is found": async (editor) => {
    await editor.openFile("Orchid care.md");
    await editor.page.locator(".editor-instance .view-lines").click();
    await editor.page.keyboard.press("Control+End");
    await editor.page.keyboard.type("quokkaberry is new here");
    await editor.page.locator(".tab.active.dirty").waitFor();
    await editor.search("quokkaberry");
    await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the unsaved text");
    await editor.page.keyboard.press("Escape");
    await editor.closeAll();
  },

  "palette: a search in a folder finds only its notes": async (editor) => {
    await editor.openFile("Orchid care.md");
    await editor.search("care", "Search in This Folder");
    assert.match(await editor.page.locator(".quick-input-title").innerText(), /^Search in Ünï cødé/u);
    await editor.answered((rows) => rows.length > 0 && rows.every((label) => label.includes(", Ünï cødé  ·")), "notes of the folder");
    await editor.page.keyboard.press("Escape");
  },

  "palette: a semantic search finds a note without the query's words": async (editor) => {
    const found = await until(async () => {
      await editor.search("looking after flowers at home", "Search Vault Semantically");
      const labels = await editor.answered(() => true, "an answer");
      await editor.page.keyboard.press("Escape");
      return labels.slice(0, 5).find((label) => label.startsWith("Orchid care")); // only after all vectors are computed
    }, "the note by meaning");
    assert.match(found, /Similar in meaning/u);
  },

  "palette: without a match, the last row creates the note in Obsidian's folder for new notes": async (editor, { vault }) => {
    await editor.search("xyzzy plugh");
    await editor.answered((rows) => rows.length > 0, "an answer");
    const last = editor.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "Create “xyzzy plugh”" });
    await until(async () => {
      await editor.page.keyboard.press("ArrowUp"); // from the first row to the last
      await last.waitFor({ timeout: 1_000 });
      return true;
    }, "the offer");
    await editor.picture("create");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "xyzzy plugh.md" }).waitFor();
    assert.ok(existsSync(join(vault, "Inbox/xyzzy plugh.md")));
  },

  "insert link: the selected note is linked at the cursor": async (editor) => {
    await editor.openFile("xyzzy plugh.md");
    await editor.page.locator(".editor-instance .view-lines").first().click();
    await editor.search("orchid care", "Insert Link to Search Result");
    await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
    await editor.page.keyboard.press("Enter");
    await until(async () => (await editor.texts()).some((text) => text.includes("[[Orchid care]]")), "the link");
    await editor.closeAll();
  },

  "why: the explanation opens next to the note": async (editor) => {
    await editor.openFile("Orchid care.md");
    await editor.command("Vaultseek: Why (Not) This Note");
    await editor.page.locator(".quick-input-title", { hasText: "Why (not) Orchid care?" }).waitFor();
    await editor.input.fill("rain water");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".tab", { hasText: "Why Orchid care" }).waitFor();
    await until(async () => (await editor.texts()).some((text) => text.includes("number 1 of") && text.includes("lexical")), "its words");
    await editor.picture("why");
    await editor.closeAll();
  },

  "settings: a change applies to the next search, without a reload": async (editor) => {
    await editor.openFile("Orchid care.md");
    await editor.search("orchid");
    await editor.answered((rows) => rows.length > 1, "several rows");
    await editor.set({ "vaultseek.maxResults": 1 });
    let blanks = "";
    await until(async () => {
      blanks += " ";
      await editor.input.fill(`orchid${blanks}`);
      return (await editor.answered((rows) => rows.length > 0, "an answer")).length === 1;
    }, "one row");
    await editor.set({ "vaultseek.maxResults": 30 });
    await editor.page.keyboard.press("Escape");
  },
};

// Two vaults in one window, and the first start of the extension.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../editor.mjs";

export const checks = {
  "walkthrough: shown at the first start": async (editor, { workspace }) => {
    editor.prepare({ "security.workspace.trust.enabled": false, "workbench.welcomePage.walkthroughs.openOnInstall": true });
    await editor.open(workspace, { kind: "workspace" });
    await editor.page.locator(".gettingStartedContainer", { hasText: "Search your notes with Vaultseek" }).waitFor();
    await editor.page.locator(".gettingStartedContainer", { hasText: "Type three words" }).waitFor();
    await editor.picture("walkthrough");
    await editor.set({ "workbench.welcomePage.walkthroughs.openOnInstall": false });
    await editor.closeAll();
  },

  "roots: one server serves all vaults, and a search uses the note's vault": async (editor) => {
    await editor.openFile("Käse.md");
    await editor.search("appenzeller");
    await editor.answered((rows) => rows[0]?.startsWith("Käse"), "the second vault's note");
    await editor.page.keyboard.press("Escape");
    await editor.openFile("Orchid care.md");
    await editor.search("orchid care");
    const labels = await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the first vault's note");
    assert.ok(!labels.some((label) => label.startsWith("Käse")), labels.join("\n"));
    await editor.page.keyboard.press("Escape");
    await until(() => editor.servers().length === 1, "one server");
  },

  "inside: opening a folder of a vault opens the vault, and new notes go to the folder in its settings": async (editor, { vault }) => {
    await editor.open(join(vault, "Ünï cødé"), { isVault: false });
    await editor.openFile("party 🎉.md"); // the extension starts when the first note is opened
    await editor.item.waitFor();
    await editor.search("orchid", "Search in This Folder");
    assert.match(await editor.page.locator(".quick-input-title").innerText(), /^Search in Ünï cødé/u);
    await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
    await editor.page.keyboard.press("Escape");
    await editor.search("frotz gnusto");
    await editor.answered((rows) => rows.length > 0, "an answer");
    const last = editor.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "Create “frotz gnusto”" });
    await until(async () => {
      await editor.page.keyboard.press("ArrowUp"); // from the first row to the last
      await last.waitFor({ timeout: 1_000 });
      return true;
    }, "the offer");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "frotz gnusto.md" }).waitFor();
    assert.ok(existsSync(join(vault, "Inbox/frotz gnusto.md")));
    await editor.search("limit switch ice");
    await editor.answered((rows) => rows.length > 0 && !rows.some((row) => row.includes(", Ünï cødé")), "notes of the rest of the vault");
    await editor.page.keyboard.press("Escape");
  },
};

// Two vaults in one window, and the first start.

import assert from "node:assert/strict";
import { until } from "../editor.mjs";

export const checks = {
  "walkthrough: shown at the first start": async (editor, { workspace }) => {
    editor.prepare({ "security.workspace.trust.enabled": false, "workbench.welcomePage.walkthroughs.openOnInstall": true });
    await editor.open(workspace, "workspace");
    await editor.page.locator(".gettingStartedContainer", { hasText: "Search your notes with Vaultseek" }).waitFor();
    await editor.page.locator(".gettingStartedContainer", { hasText: "Type three words" }).waitFor();
    await editor.picture("walkthrough");
    await editor.set({ "workbench.welcomePage.walkthroughs.openOnInstall": false });
    await editor.command("View: Close All Editor Groups");
  },

  "roots: one server for all of them, and each note's own vault is searched": async (editor) => {
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
};

// The server: finding it, restarts, and messages if there is none.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../editor.mjs";

async function answers(editor) {
  await editor.search("orchid care");
  await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
  await editor.page.keyboard.press("Escape");
}

export const checks = {
  "status: the server's status is written to the log": async (editor) => {
    await answers(editor);
    await editor.command("Vaultseek: Show Status");
    await until(() => /Vaultseek \d+\.\d+\.\d+/u.test(editor.log()), "the version");
    await editor.page.locator(".part.panel .view-line", { hasText: /7\d\snotes/u }).first().waitFor();
    await editor.picture("status");
    await editor.hands("command", "workbench.action.closePanel");
  },

  "server: after a crash it is started again, after a longer wait each time": async (editor) => {
    for (const wait of ["0.5 s", "1 s"]) {
      const [{ pid }] = await until(() => editor.servers().length === 1 && editor.servers(), "one server");
      process.kill(pid, "SIGKILL");
      await until(() => editor.log().includes(`starts again in ${wait}`), `a wait of ${wait}`);
      await until(() => editor.servers().length === 1 && editor.servers()[0].pid !== pid, "another server");
      await answers(editor);
    }
    assert.equal(await editor.toasts.count(), 0);
  },

  "server: one of another version answers, and one message says which to update": async (editor, { program, python }) => {
    for (const [version, what] of [["0.0.9", "server"], ["0.9.0", "extension"]]) {
      const other = join(mkdtempSync(join(tmpdir(), "vaultseek-other-")), "vaultseek");
      writeFileSync(other, `#!${python}\nimport sys\nimport lsp_server.server as server\nserver.installed_version = lambda: "${version}"\nfrom lsp_server.__main__ import main\nsys.exit(main())\n`);
      chmodSync(other, 0o755);
      await editor.set({ "vaultseek.server.command": [other, "serve"] });
      await editor.toasts.filter({ hasText: `Update Vaultseek's ${what}: the server has version ${version}` }).waitFor();
      await answers(editor);
      await editor.hands("command", "notifications.clearAll");
    }
    await editor.set({ "vaultseek.server.command": [program, "serve"] });
    await answers(editor);
  },

  "server: after too many crashes it is not started again, and a message links to the log": async (editor) => {
    await editor.set({ "vaultseek.server.command": ["/bin/false", "serve"] });
    const toast = editor.toasts.filter({ hasText: "keeps crashing" });
    await toast.waitFor();
    await editor.picture("given-up");
    await toast.hover();
    await toast.locator(".monaco-button", { hasText: "Show Log" }).click();
    await editor.page.locator(".part.panel .view-line", { hasText: "not started again" }).first().waitFor();
    await editor.hands("command", "workbench.action.closePanel");
    await editor.hands("command", "notifications.clearAll");
  },

  "server: a missing configured program is reported at once and only once": async (editor) => {
    await editor.set({ "vaultseek.server.command": ["/nowhere/vaultseek", "serve"] });
    const toast = editor.toasts.filter({ hasText: "cannot be started: spawn /nowhere/vaultseek ENOENT" });
    await toast.waitFor();
    await editor.command("Vaultseek: Search Vault");
    await editor.page.locator(".quick-input-title", { hasText: "Search" }).waitFor();
    await editor.input.fill("orchid");
    await editor.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await editor.hands("command", "notifications.showList");
    const all = editor.page.locator(".notifications-center .notification-list-item");
    await all.first().waitFor();
    assert.equal(await all.count(), 1);
    await editor.hands("command", "notifications.clearAll");
  },

  "server: if it is not installed, one message says so and how to install it": async (editor) => {
    await editor.set({ "vaultseek.server.command": [] });
    const toast = editor.toasts.filter({ hasText: "server is not installed" });
    await toast.waitFor();
    await editor.picture("missing");
    for (let times = 0; times < 2; times += 1) {
      await editor.command("Vaultseek: Search Vault");
      await editor.page.locator(".quick-input-title", { hasText: "Search" }).waitFor();
      await editor.input.fill("orchid");
      await editor.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    }
    await editor.hands("command", "notifications.showList");
    const all = editor.page.locator(".notifications-center .notification-list-item", { hasText: "server is not installed" });
    await all.first().hover();
    assert.equal(await all.count(), 1);
    await all.locator(".monaco-button", { hasText: "How to Install" }).click();
    await editor.page.locator(".tab.active", { hasText: /Preview/u }).waitFor();
    const preview = editor.page.frameLocator('iframe.webview[src*="markdown-language-features"]').frameLocator("iframe#active-frame");
    await preview.locator("code", { hasText: "pipx install ." }).waitFor();
    await editor.picture("install");
    await editor.hands("command", "notifications.clearAll");
    await editor.closeAll();
  },

  "server: it is found in the Python extension's interpreter": async (editor, { python }) => {
    await editor.set({ "python.defaultInterpreterPath": python });
    const before = editor.starts();
    await editor.command("Vaultseek: Restart Server");
    await until(() => editor.starts() > before, "the server of the environment");
    await answers(editor);
    assert.ok(editor.log().includes(`Server: ${python} -P -m lsp_server serve (from the Python environment`), editor.log());
  },

  "server: the setting wins, and applies without a reload": async (editor, { program }) => {
    const before = editor.starts();
    await editor.set({ "vaultseek.server.command": [program, "serve"] });
    await until(() => editor.starts() > before && editor.servers().length === 1, "the configured server");
    await answers(editor);
    assert.ok(editor.servers()[0].command.includes("vaultseek serve"));
  },
};

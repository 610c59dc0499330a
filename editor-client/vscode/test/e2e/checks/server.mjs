// The server: found, started again, and what is said where it cannot be had.

import assert from "node:assert/strict";
import { until } from "../editor.mjs";

async function answers(editor) {
  await editor.search("orchid care");
  await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
  await editor.page.keyboard.press("Escape");
}

export const checks = {
  "status: what the server says of itself is in its log": async (editor) => {
    await answers(editor);
    await editor.command("Vaultseek: Show Status");
    await until(() => /Vaultseek \d+\.\d+\.\d+/u.test(editor.log()), "the version");
    await editor.page.locator(".part.panel .view-line", { hasText: /7\d\snotes/u }).first().waitFor();
    await editor.picture("status");
    await editor.hands("command", "workbench.action.closePanel");
  },

  "server: killed, it is started again, and waits longer each time": async (editor) => {
    for (const wait of ["0.5 s", "1 s"]) {
      const [{ pid }] = await until(() => editor.servers().length === 1 && editor.servers(), "one server");
      process.kill(pid, "SIGKILL");
      await until(() => editor.log().includes(`it is started again in ${wait}`), `a wait of ${wait}`);
      await until(() => editor.servers().length === 1 && editor.servers()[0].pid !== pid, "another server");
      await answers(editor);
    }
    assert.equal(await editor.toasts.count(), 0);
  },

  "server: one that ends again and again is given up, with a way to its log": async (editor) => {
    await editor.set({ "vaultseek.server.command": ["/bin/false", "serve"] });
    const toast = editor.toasts.filter({ hasText: "ends again and again" });
    await toast.waitFor();
    await editor.picture("given-up");
    await toast.hover();
    await toast.locator(".monaco-button", { hasText: "Show Log" }).click();
    await editor.page.locator(".part.panel .view-line", { hasText: "not started again" }).first().waitFor();
    await editor.hands("command", "workbench.action.closePanel");
    await editor.hands("command", "notifications.clearAll");
  },

  "server: a named program that is not there is told at once, and once": async (editor) => {
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

  "server: where there is none, one message says so and how to install it": async (editor) => {
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
    await preview.locator("code", { hasText: "pipx install vaultseek" }).waitFor();
    await editor.picture("install");
    await editor.hands("command", "notifications.clearAll");
    await editor.closeAll();
  },

  "server: the Python extension's interpreter has it": async (editor, { python }) => {
    await editor.set({ "python.defaultInterpreterPath": python });
    const before = editor.starts();
    await editor.command("Vaultseek: Restart Server");
    await until(() => editor.starts() > before, "the server of the environment");
    await answers(editor);
    assert.ok(editor.log().includes(`Server: ${python} -P -m lsp_server serve (from the Python environment`), editor.log());
  },

  "server: the setting goes before all else, and takes its place without a reload": async (editor, { program }) => {
    const before = editor.starts();
    await editor.set({ "vaultseek.server.command": [program, "serve"] });
    await until(() => editor.starts() > before && editor.servers().length === 1, "the named server");
    await answers(editor);
    assert.ok(editor.servers()[0].command.includes("vaultseek serve"));
  },
};

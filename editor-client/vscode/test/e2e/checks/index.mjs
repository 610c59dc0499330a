// Vectors from a configured endpoint: its key, index commands with progress, and failures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { until } from "../editor.mjs";
import { marked } from "../processes.mjs";

const KEY = "sk-9f3vault-\"7c1seek\\"; // contains characters that JSON escapes
const PARTS = ["9f3vault", "7c1seek"];
const VARIABLE = "VAULTSEEK_E2E_KEY";
const ONLY_KEYWORDS = /Only keyword search was used/u;

const toast = (editor, text) => editor.toasts.filter({ hasText: text }).first();

/** Waits until the server has started once more than `before`. */
const restarted = (editor, before) => until(() => editor.starts() > before && editor.servers().length === 1, "a new start of the server");

export const checks = {
  "key: it is stored in the secret storage and reaches the endpoint": async (editor, { endpoint }) => {
    let before = editor.starts();
    await editor.set({ "vaultseek.autoIndex": "never", "vaultseek.trace.server": "verbose", "vaultseek.embedding": { baseUrl: endpoint.baseUrl, model: "words", keyVariable: VARIABLE, batchSize: 4 } });
    await restarted(editor, before);
    before = editor.starts();
    await editor.command("Vaultseek: Set API Key");
    await editor.page.locator(".quick-input-title", { hasText: `API key for ${VARIABLE}` }).waitFor();
    assert.equal(await editor.input.getAttribute("type"), "password");
    await editor.input.fill(KEY);
    await editor.page.keyboard.press("Enter");
    await restarted(editor, before);
    endpoint.letThrough(Infinity);
    await editor.statusBarShows(/\d+ notes embedded/u, () => editor.command("Vaultseek: Update Index"));
    assert.deepEqual([...new Set(endpoint.asked)], [`Bearer ${KEY}`]);
  },

  "key: it is in no file, no trace and no process's environment": async (editor) => {
    await editor.command("Developer: Set Log Level...");
    await editor.rows.filter({ hasText: "Vaultseek" }).first().click();
    await editor.rows.filter({ hasText: "Trace" }).first().click();
    const before = editor.starts();
    await editor.command("Vaultseek: Restart Server");
    await restarted(editor, before);
    await until(() => /initialize[\s\S]*"VAULTSEEK_E2E_KEY": ?"—"/u.test(editor.log()), "the trace of initialize");
    const hasKey = (bytes) => PARTS.some((part) => bytes.includes(part));
    assert.deepEqual([...editor.files(editor.home)].filter(([, bytes]) => hasKey(bytes)).map(([path]) => path), []);
    assert.deepEqual(marked(editor.home).filter(({ pid, command }) => hasKey(command) || hasKey(readFileSync(`/proc/${pid}/environ`))), []);
    await editor.set({ "vaultseek.trace.server": "messages" });
  },

  "index: rebuilding shows progress in a notification and the status bar, and can be stopped from both": async (editor, { endpoint }) => {
    for (const place of ["notice", "status bar"]) {
      endpoint.letThrough(5);
      await editor.command("Vaultseek: Rebuild Index");
      await until(async () => /\d+ of 7\d notes/u.test(await toast(editor, "Rebuilding").innerText()), "the count in the notice");
      await until(async () => /Vaultseek \d+ of 7\d notes/u.test(await editor.item.innerText()), "the count in the status bar");
      await editor.picture("progress");
      await until(async () => !(await editor.statusBar()).includes("Stopped"), "no earlier message");
      await editor.statusBarShows(/Stopped/u, async () => {
        if (place === "notice") {
          await toast(editor, "Rebuilding").hover();
          await toast(editor, "Rebuilding").locator(".monaco-button", { hasText: "Cancel" }).click();
        } else {
          await editor.item.click();
        }
      });
      await until(async () => (await editor.toasts.count()) === 0, "no notification");
      await until(async () => (await editor.item.innerText()).trim() === "Vaultseek", "the usual status bar");
    }
  },

  "index: it can be rebuilt, updated and cleared": async (editor, { endpoint }) => {
    endpoint.letThrough(Infinity);
    await editor.statusBarShows(/7\d notes embedded/u, () => editor.command("Vaultseek: Rebuild Index"));
    await editor.statusBarShows(/\b0 notes embedded/u, () => editor.command("Vaultseek: Update Index"));
    await editor.command("Vaultseek: Clear Index");
    await editor.statusBarShows(/All vectors deleted/u, () => editor.page.locator(".monaco-dialog-box .monaco-button", { hasText: "Delete" }).click());
  },

  "notices: a failing endpoint is reported once in the status bar, and the search uses words": async (editor, { endpoint }) => {
    endpoint.isDown = false;
    await editor.statusBarShows(/7\d notes embedded/u, () => editor.command("Vaultseek: Update Index"));
    endpoint.isDown = true;
    // On a busy machine an answer may come before the endpoint's, so the search is repeated until the failure is known.
    let isOver = false;
    await editor.statusBarShows(ONLY_KEYWORDS, async (shown) => {
      void shown.finally(() => { isOver = true; }).catch(() => undefined);
      while (!isOver) {
        await editor.search("bark for the roots");
        await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
        await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, 2_000))]);
      }
    });
    await until(async () => (await editor.item.getAttribute("aria-label")).includes("words at"), "the whole message in the tooltip");
    await editor.picture("notice");
    assert.equal(await editor.toasts.count(), 0);
    await editor.page.keyboard.press("Escape");
    endpoint.isDown = false;
    const before = editor.starts();
    await editor.set({ "vaultseek.embedding": null, "vaultseek.autoIndex": "onSearch" });
    await restarted(editor, before);
  },
};

// What a folder must not be able to do, trusted or not.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../editor.mjs";
import { addHostileNotes } from "../vaults.mjs";
import { ask, hoverAt } from "./sidebar.mjs";

const NOT_FOUND = "server is not installed";

export const checks = {
  "trusted: a folder's settings start no program and name no endpoint": async (editor, { strangers }) => {
    assert.ok(!existsSync(strangers.trace), "the folder's program was started");
    assert.ok(!existsSync(strangers.elsewhere), "something was written where the folder says");
    assert.equal(strangers.endpoint.asked.length, 0);
  },

  "trusted: no interpreter is started that a folder's settings name or that is in the folder": async (editor, { vault, program, strangers }) => {
    const isRefused = async () => {
      const nRefused = editor.log().split(NOT_FOUND).length;
      await editor.command("Vaultseek: Restart Server");
      await until(() => editor.log().split(NOT_FOUND).length > nRefused, "a server that is not found");
    };
    await editor.set({ "vaultseek.server.command": [], "python.defaultInterpreterPath": null });
    await editor.hands("setInFolder", { "python.defaultInterpreterPath": strangers.program });
    await isRefused();
    await editor.hands("setInFolder", { "python.defaultInterpreterPath": null });
    await editor.set({ "python.defaultInterpreterPath": join(vault, ".venv/bin/python") });
    await isRefused();
    assert.ok(!existsSync(strangers.trace), "the folder's program was started");
    await editor.set({ "python.defaultInterpreterPath": null, "vaultseek.server.command": [program, "serve"] });
    await until(() => editor.servers().length === 1, "the configured server");
    await editor.hands("command", "notifications.clearAll");
  },

  "untrusted: the search uses words only and calls no endpoint": async (editor, { endpoint, strangers }) => {
    await ask(editor, "orchid water"); // for the next check
    const nAsked = endpoint.asked.length;
    await editor.set({ "vaultseek.embedding": { baseUrl: endpoint.baseUrl, model: "words" } });
    editor.prepare({ "security.workspace.trust.enabled": true });
    await editor.reload();
    await editor.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
    await editor.search("looking after orchid care");
    const labels = await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
    assert.doesNotMatch(labels.join("\n"), /similar in meaning/iu);
    await editor.picture("untrusted");
    await editor.page.keyboard.press("Escape");
    await editor.search("looking after flowers at home", "Search Vault Semantically");
    assert.doesNotMatch((await editor.answered(() => true, "an answer")).join("\n"), /similar in meaning/iu);
    await editor.page.keyboard.press("Escape");
    assert.equal(endpoint.asked.length, nAsked);
    assert.equal(strangers.endpoint.asked.length, 0);
    assert.ok(!existsSync(strangers.trace), "the folder's program was started");
    assert.equal(editor.servers().length, 1);
  },

  "sidebar: its query is restored after a reload": async (editor) => {
    await until(async (n) => {
      if (n > 0) {
        // VS Code keeps what a view has set some time later, and a reload can come before.
        await ask(editor, "orchid water");
        await new Promise((done) => setTimeout(done, 2000 * n));
        await editor.reload();
      }
      await editor.showViews();
      return until(async () => (await editor.query.inputValue()) === "orchid water", "the earlier query", 10_000);
    }, "a restored query");
    await until(async () => (await editor.webview.locator(".result").count()) > 0, "its answer");
  },

  "trust: after it is granted, semantic search works without a reload": async (editor) => {
    await editor.set({ "vaultseek.embedding": null });
    await editor.hands("command", "workbench.trust.manage");
    await editor.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/u }).first().click();
    await editor.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor({ state: "detached" });
    await until(async () => {
      await editor.search("looking after flowers at home", "Search Vault Semantically");
      const labels = await editor.answered(() => true, "an answer");
      await editor.page.keyboard.press("Escape");
      return labels.some((label) => /similar in meaning/iu.test(label));
    }, "a semantic answer");
  },

  "safety: nothing of a hostile note is live, neither in a hover nor in the side bar": async (editor, { vault }) => {
    const names = addHostileNotes(vault);
    await editor.openFile("all quaggas.md");
    for (const [n, name] of names.entries()) {
      const hover = await hoverAt(editor, { line: n + 1, column: 4 }, `Quagga number ${n + 1}`);
      assert.ok(n > 0 || /[Rr]elated/u.test(await hover.innerText()), "no related notes");
      const { targets, others } = await hover.evaluate(live);
      assert.deepEqual(others, [], name);
      const files = targets.map((target) => decodeURIComponent(new URL(target).pathname));
      assert.ok(files[0]?.endsWith(`/Strange/${name}.md`), `${name}: ${targets[0]}`);
      assert.deepEqual(files.filter((file) => !file.startsWith(`${vault}/`) || !existsSync(file)), [], name);
      await editor.page.keyboard.press("Escape");
    }
    await editor.closeAll();
    await ask(editor, "quagga number");
    await until(async () => (await editor.webview.locator(".result").count()) >= names.length, "the hostile notes");
    assert.deepEqual(await editor.webview.locator(".results").evaluate(live), { targets: [], others: [] });
  },
};

/** What is live in an element: the targets of its links, and what else loads, runs or opens something. Runs in the page. */
function live(root) {
  const all = [...root.querySelectorAll("*")];
  const target = (element) => element.dataset.href ?? element.getAttribute("href") ?? element.getAttribute("xlink:href") ?? "";
  const isLive = (element) =>
    element.matches("img, svg, iframe, frame, object, embed, video, audio, source, picture, form, style, link, base, math, details, dialog") ||
    [...element.attributes].some(({ name, value }) => /^on/iu.test(name) || (name !== "data-href" && name !== "href" && /(?:command|javascript|data):|url\(|evil\.example/iu.test(value)));
  return {
    targets: all.filter((element) => element.matches("a")).map(target).filter((found) => found !== ""),
    others: all.filter((element) => isLive(element)).map((element) => element.outerHTML.slice(0, 200)),
  };
}

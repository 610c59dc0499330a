import "./world";
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER_SETTINGS } from "../../src/settings/server";
import { Store } from "../../src/settings/store";
import { SettingsTab } from "../../src/settings/tab";
import { allowed, endpointOf, marked, valueOf } from "../../src/settings/typed";
import { App } from "../stand-in/obsidian";
import { body } from "./world";

async function stored(ofVault: object | null = null, ofMachine: object | null = null) {
  const kept = { vault: ofVault as unknown, machine: ofMachine as unknown };
  const store = new Store({
    loadVault: () => Promise.resolve(kept.vault),
    saveVault: (values) => {
      kept.vault = values;
      return Promise.resolve();
    },
    loadMachine: () => kept.machine,
    saveMachine: (values) => {
      kept.machine = values;
    },
  });
  await store.load();
  return { store, kept };
}

const setting = (name: string) => {
  const found = SERVER_SETTINGS.find((each) => each.name === name);
  assert.ok(found, name);
  return found;
};

test("only what differs from the defaults is kept and sent", async () => {
  const { store, kept } = await stored();
  assert.deepEqual(store.forServer(), {});
  await store.change(setting("maxResults"), 10);
  assert.deepEqual(store.forServer(), { maxResults: 10 });
  await store.change(setting("maxResults"), 30);
  assert.deepEqual([store.forServer(), kept.vault], [{}, {}]);
});

test("a vault can set neither a program nor where text is sent or written", async () => {
  const evil = { serverPath: "/evil", indexFolder: "/evil", embedding: { baseUrl: "http://evil", model: "m" }, maxResults: 5, unknown: 1 };
  const { store } = await stored(evil);
  assert.equal(store.serverPath, "");
  assert.deepEqual(store.forServer(), { maxResults: 5 });
});

test("what belongs to this machine is kept outside the vault", async () => {
  const { store, kept } = await stored();
  await store.changeServerPath(" /own/vaultseek ");
  await store.change(setting("chat"), { baseUrl: "http://127.0.0.1:1/v1", model: "m" });
  assert.equal(kept.vault, null);
  assert.deepEqual(kept.machine, { serverPath: "/own/vaultseek", chat: { baseUrl: "http://127.0.0.1:1/v1", model: "m" } });
  assert.deepEqual(Object.keys(store.forServer()), ["chat"]);
});

test("settings that are no object are as none", async () => {
  for (const odd of [null, 3, "x", []]) {
    const { store } = await stored(odd as never, odd as never);
    assert.deepEqual([store.forServer(), store.serverPath, store.linked], [{}, "", "last"]);
  }
});

test("a number outside its range is no value, and the message names the range", () => {
  const weight = setting("maxResults");
  assert.deepEqual(["5", "0", "101", "1.5", "x", "", "1e1"].map((text) => valueOf(weight, text)), [5, undefined, undefined, undefined, undefined, 30, 10]);
  assert.equal(allowed(weight), "A whole number from 1 to 100.");
  assert.equal(valueOf(setting("stemWeight"), ""), null);
  assert.deepEqual(valueOf(setting("exclude"), " a \n\n#b"), ["a", "#b"]);
});

test("an endpoint is what was typed, and none if everything is empty", () => {
  const fields = { baseUrl: "text", timeoutS: "number" } as const;
  assert.deepEqual(endpointOf(fields, { baseUrl: " http://x ", timeoutS: "5" }), { baseUrl: "http://x", timeoutS: 5 });
  assert.equal(endpointOf(fields, { baseUrl: " ", timeoutS: "" }), null);
});

test("marks in a description become elements", () => {
  assert.deepEqual(marked("a `b` **c**").map(({ tag }) => tag), ["span", "code", "span", "strong"]);
});

test("the tab shows each setting of the server once, and a change is stored and told", async () => {
  const { store, kept } = await stored();
  let nTold = 0;
  const plugin = { app: new App("/v", body), store, server: { settingsChanged: () => (nTold += 1), restart: () => Promise.resolve() } };
  const tab = new SettingsTab(plugin as never);
  (tab as unknown as { display: () => void }).display(); // what versions before 1.13 call
  const { containerEl } = tab;
  assert.equal(containerEl.querySelectorAll(".setting-item:not(.setting-item-heading)").length, SERVER_SETTINGS.length + 2);
  const row = (title: string) => Array.from(containerEl.querySelectorAll<HTMLElement>(".setting-item")).find((each) => each.textContent.startsWith(title));
  const input = row("Notes in an answer")?.querySelector("input");
  assert.ok(input);
  input.value = "500";
  input.dispatchEvent(new window.Event("input"));
  assert.equal(input.getAttribute("aria-invalid"), "true");
  assert.match(row("Notes in an answer")?.textContent ?? "", /A whole number from 1 to 100\./u);
  assert.equal(kept.vault, null);
  input.value = "50";
  input.dispatchEvent(new window.Event("input"));
  assert.deepEqual(kept.vault, { maxResults: 50 });
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(nTold, 1);
});

test("newer versions of the app get the same settings as definitions, in groups", async () => {
  const { store } = await stored();
  const tab = new SettingsTab({ app: new App("/v", body), store } as never);
  const items = tab.getSettingDefinitions() as { items?: unknown[] }[];
  assert.equal(items.flatMap(({ items: inner }) => inner ?? []).length, SERVER_SETTINGS.length);
});

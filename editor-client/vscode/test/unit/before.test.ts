import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Before } from "../../src/before";
import { TabInputText, Uri, window } from "./vscode";

const done = Promise.resolve();

/** Shows a file in a tab and makes it active, as a click or a preview does. */
function open(name: string, isPreview = false): void {
  const uri = Uri.file(`/vault/${name}`);
  const tabs = window.tabGroups.all[0]?.tabs ?? [];
  const kept = tabs.filter((tab) => !isPreview || !tab.isPreview);
  tabs.splice(0, Infinity, ...kept, { input: new TabInputText(uri), label: name, isPreview, isDirty: false, group: { viewColumn: 1 } });
  window.activeTextEditor = { document: { uri }, selection: name };
}

const shown = () => [window.activeTextEditor?.document.uri.path, window.tabGroups.all[0]?.tabs.map(({ label }) => label).join(" ")];

beforeEach(() => {
  window.tabGroups.all[0]?.tabs.splice(0);
  window.activeTextEditor = undefined;
});

test("leaving restores what was open, with its selection, and closes mere previews", async () => {
  open("Mine.md");
  const before = new Before();
  open("Previewed.md", true);
  await before.restore(done);
  assert.deepEqual(shown(), ["/vault/Mine.md", "Mine.md"]);
  assert.deepEqual(window.activeTextEditor, { document: { uri: Uri.file("/vault/Mine.md") }, selection: "Mine.md", preview: false, preserveFocus: true });
});

test("if nothing was open, nothing stays open", async () => {
  const before = new Before();
  open("Previewed.md", true);
  await before.restore(done);
  assert.equal(shown()[1], "");
});

test("restoring waits for a pending preview", async () => {
  open("Mine.md");
  const before = new Before();
  let arrive = (): void => undefined;
  const previewed = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const restored = before.restore(previewed);
  open("Previewed.md", true);
  arrive();
  await restored;
  assert.deepEqual(shown(), ["/vault/Mine.md", "Mine.md"]);
});

test("a palette opened while another one is closing restores what was open before the first", async () => {
  open("Mine.md");
  const first = new Before();
  open("Previewed.md", true);
  const left = first.restore(done);
  const second = new Before();
  await left;
  assert.deepEqual(shown(), ["/vault/Previewed.md", "Mine.md Previewed.md"]); // the second has taken over
  open("Another.md", true);
  await second.restore(done);
  assert.deepEqual(shown(), ["/vault/Mine.md", "Mine.md"]);
});

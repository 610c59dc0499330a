import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Before } from "../../src/before";
import { TabInputText, Uri, window } from "./vscode";

const done = Promise.resolve();

/** What a click or a preview does: the file is in a tab and is the active one. */
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

test("who leaves has what was open, with its selection, and nothing that was only previewed", async () => {
  open("Mine.md");
  const before = new Before();
  open("Previewed.md", true);
  await before.restore(done);
  assert.deepEqual(shown(), ["/vault/Mine.md", "Mine.md"]);
  assert.deepEqual(window.activeTextEditor, { document: { uri: Uri.file("/vault/Mine.md") }, selection: "Mine.md", preview: false, preserveFocus: true });
});

test("where nothing was open, nothing is left open", async () => {
  const before = new Before();
  open("Previewed.md", true);
  await before.restore(done);
  assert.equal(shown()[1], "");
});

test("a preview that is under way is waited for", async () => {
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

test("a palette that is opened while another is left comes back to where that one began", async () => {
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

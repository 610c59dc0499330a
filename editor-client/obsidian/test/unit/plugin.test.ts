import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { closeAll, edit, find, isWhole, load, press, titles, type, until, type Loaded } from "./app";
import { isAlive, program } from "./real";
import { Modal, Notice, type HoverPopover, type MarkdownView } from "../stand-in/obsidian";
import { openResult } from "../../src/actions";
import { machine } from "../../src/server/machine";
import { METHOD_SEARCH } from "../../../shared/wire";
import { SEARCH_VIEW } from "../../src/views/search_view";
import { RelatedView } from "../../src/views/related_view";
import { body } from "./world";

const NOTES = {
  "Orchid.md": "# Orchid\n\nWater the orchid on Fridays, see [[Fern]].\n",
  "Garden/Fern.md": "# Fern\nShade for the fern, please.\n",
  "Garden/Moss.md": "# Moss\nMoss likes the shade of the fern too.\n",
  "Diary.md": "A long day. The orchid has flowers. <img src=x onerror=alert(1)> orchid\n",
};
let loaded: Loaded;

before(async () => {
  loaded = await load(NOTES);
});
afterEach(closeAll);
after(async () => {
  loaded.own.unload();
  await loaded.plugin.server.stop();
});

async function search(query: string): Promise<HTMLInputElement> {
  loaded.run("search");
  const input = type(query);
  await until(() => isWhole() && titles().length > 0, `results for ${query}`);
  return input;
}

function active(): MarkdownView {
  const view = loaded.app.workspace.active;
  assert.ok(view);
  return view;
}

test("results appear with highlights, a reason and a strength; Enter opens the note with the match selected", async () => {
  const input = await search("orchid");
  assert.deepEqual(titles(), ["Orchid", "Diary"]);
  assert.ok(Array.from(document.querySelectorAll("mark"), (each) => each.textContent.toLowerCase()).includes("orchid"));
  assert.match(find(".vaultseek-strength").textContent, /strength [01]\.\d\d/u);
  assert.notEqual(find(".vaultseek-sentence").textContent, "");
  press(input, "ArrowDown");
  press(input, "Enter");
  await until(() => loaded.app.workspace.active?.file?.path === "Diary.md", "the note is open");
  await until(() => active().editor.selection !== undefined, "the match is selected");
  const { from, to } = active().editor.selection as { from: { line: number; ch: number }; to: { ch: number } };
  assert.equal(NOTES["Diary.md"].slice(from.ch, to.ch), "orchid");
  assert.deepEqual(active().leaf.how, { active: true, eState: { line: from.line } });
  assert.equal(Modal.open.length, 0);
});

test("a PDF opens at its page, a canvas at its card, and what could be a program not at all", async () => {
  const { app } = loaded;
  const snippet = { text: "x", range: { start: { line: 4, character: 0 }, end: { line: 4, character: 0 } }, highlights: [], marks: [] };
  const open = async (id: string, fragment?: string): Promise<unknown> => {
    await app.vault.create(id, "");
    app.workspace.active = undefined;
    await openResult(app as never, { id, sections: [], snippets: [{ ...snippet, ...(fragment === undefined ? {} : { fragment }) }] }, false);
    return (app.workspace.active as MarkdownView | undefined)?.leaf.how;
  };
  assert.deepEqual(await open("paper.pdf", "page=12"), { active: true, eState: { subpath: "#page=12" } });
  assert.deepEqual(await open("board.canvas", "n1"), { active: true, eState: { subpath: "#n1" } });
  assert.deepEqual(await open("minutes.docx"), { active: true, eState: { line: 4 } });
  assert.equal(await open("setup.exe"), undefined);
  assert.match(Notice.texts.at(-1) ?? "", /setup\.exe is not opened/u);
});

test("text of a note is shown as text and never as HTML", async () => {
  await search("flowers");
  assert.equal(document.querySelectorAll("img").length, 0);
  assert.match(find(".vaultseek-results").textContent, /<img/u);
});

test("modifier keys open in another pane, insert a link, or create a note in the folder of the settings", async () => {
  const { app } = loaded;
  press(await search("fern"), "Enter", { ctrlKey: true });
  await until(() => Modal.open.length === 0, "the modal is closed");
  assert.equal(app.workspace.panes.at(-1), "tab");
  await edit(loaded, "Diary.md");
  press(await search("moss"), "Enter", { altKey: true });
  await until(() => active().editor.text.endsWith("[[Moss]]"), "the link is inserted");
  app.newNotes = "Inbox";
  press(await search("moss"), "Enter", { shiftKey: true });
  await until(() => app.vault.getFileByPath("Inbox/moss.md") !== null, "the note is created");
});

test("Enter that ends the input of Chinese or Japanese opens nothing", async () => {
  const input = await search("fern");
  press(input, "Enter", { isComposing: true });
  assert.equal(Modal.open.length, 1);
});

test("Mod and a dot show the parts of the score", async () => {
  const input = await search("fern");
  press(input, ".", { ctrlKey: true });
  assert.ok(document.querySelectorAll(".explanation .legend li").length > 0);
  press(input, ".", { ctrlKey: true });
  assert.equal(document.querySelectorAll(".explanation").length, 0);
});

test("weak results are below a line that the keyboard and the mouse unfold", async () => {
  const input = await search("orchid flowers long day shade");
  const strong = titles();
  const fold = find(".vaultseek-fold");
  assert.match(fold.textContent, /^▸\d weak results?, hidden$/u);
  strong.forEach(() => {
    press(input, "ArrowDown");
  });
  assert.equal(find(`#${input.getAttribute("aria-activedescendant") ?? ""}`), fold);
  press(input, "Enter");
  assert.deepEqual([Modal.open.length, find(".vaultseek-fold").textContent.endsWith(", shown")], [1, true]);
  assert.ok(titles().length > strong.length);
  press(input, "ArrowDown");
  assert.equal(find(".is-active .vaultseek-title").textContent, titles()[strong.length]);
  find(".vaultseek-fold").click();
  assert.deepEqual(titles(), strong);
});

test("results that are all weak are shown, and said to be so", async () => {
  await search("shade zeppelin zither zirconium zygote");
  assert.ok(titles().length > 0);
  assert.equal(document.querySelectorAll(".vaultseek-fold").length, 0);
  assert.match(find(".vaultseek-count").textContent, /Nothing answers this well\./u);
});

test("each key cancels the search before it, and only the last answer is shown", async () => {
  loaded.run("search");
  for (const query of ["f", "fe", "fer", "moss", "orchid"]) {
    type(query);
  }
  await until(() => isWhole() && titles().length > 0, "results");
  assert.deepEqual(titles(), ["Orchid", "Diary"]);
  type("");
  assert.deepEqual(titles(), []);
});

test("unsaved text is searched, and no longer after the view is closed", async () => {
  const leaf = await edit(loaded, "Garden/Moss.md");
  const view = leaf.view as MarkdownView;
  view.editor.text = "# Moss\nUnsaved heliotrope.\n";
  loaded.app.workspace.trigger("editor-change", view.editor, view);
  await search("heliotrope");
  assert.deepEqual(titles(), ["Moss"]);
  closeAll();
  leaf.type = "empty"; // the tab is closed
  loaded.run("search");
  type("heliotrope");
  await until(() => isWhole() && find(".vaultseek-count").textContent.includes("No notes found"), "nothing is found");
  assert.match(find(".vaultseek-count").textContent, /Shift\+Enter creates “heliotrope”/u);
});

test("a changed file is told to the server, so that the next search finds its text", async () => {
  loaded.write("Diary.md", "Now about zinnias.\n");
  loaded.app.vault.trigger("modify", loaded.app.vault.getFileByPath("Diary.md"));
  await search("zinnias");
  assert.deepEqual(titles(), ["Diary"]);
});

test("related notes follow the open note", async () => {
  const { app } = loaded;
  await edit(loaded, "Garden/Fern.md");
  loaded.run("show-related");
  const view = () => app.workspace.leaves.map((leaf) => leaf.view).find((each) => (each as unknown) instanceof RelatedView);
  await until(() => view() !== undefined && titles(view()?.contentEl).includes("Moss"), "Moss is related to Fern");
  await edit(loaded, "Orchid.md");
  app.workspace.trigger("active-leaf-change");
  await until(() => titles(view()?.contentEl).includes("Fern"), "Fern is related to Orchid");
  await app.workspace.leaves.find((leaf) => leaf.view === view())?.detach();
});

test("Alt and the mouse over a link show notes related to its target, in one popover for a link", async () => {
  const leaf = await edit(loaded, "Orchid.md");
  loaded.app.links.set("Orchid.md", [{ link: "Garden/Fern", displayText: "the fern" }]);
  const view = leaf.view as MarkdownView;
  body.append(view.containerEl);
  const link = view.contentEl.createSpan({ cls: "cm-hmd-internal-link", text: "the fern" });
  const over = (more: MouseEventInit) => link.dispatchEvent(new window.MouseEvent("mouseover", { bubbles: true, ...more }));
  over({});
  assert.equal(document.querySelectorAll(".hover-popover").length, 0);
  over({ altKey: true });
  const shown = find(".hover-popover");
  assert.match(shown.textContent, /Related to Fern/u);
  await until(() => titles(shown).includes("Moss"), "the related notes");
  over({ altKey: true });
  assert.equal(find(".hover-popover"), shown);
  (view.hoverPopover as HoverPopover).unload(); // the app closes it
  over({ altKey: true, relatedTarget: link }); // the mouse is still over the link
  assert.equal(document.querySelectorAll(".hover-popover").length, 0);
  over({ altKey: true });
  assert.notEqual(find(".hover-popover"), shown);
  (view.hoverPopover as HoverPopover).unload();
  view.containerEl.remove();
});

test("the address obsidian://vaultseek?query= opens the search with its query", async () => {
  loaded.own.protocols.get("vaultseek")?.({ action: "vaultseek", query: "zinnias" });
  await until(() => isWhole() && titles().length > 0, "results");
  assert.equal((find("input.vaultseek-query") as HTMLInputElement).value, "zinnias");
});

test("why (not) this note says which step of the search removed it", async () => {
  await edit(loaded, "Garden/Fern.md");
  loaded.run("why");
  type("zinnias");
  await until(() => document.querySelector(".vaultseek-why pre")?.textContent.includes("Garden/Fern.md: not shown") === true, "the explanation");
});

test("an index command reports how it went", async () => {
  Notice.texts.length = 0;
  loaded.run("update-index");
  await until(() => Notice.texts.at(-1)?.includes("enableSemantic") === true, "the reason"); // there may be progress before it
  assert.equal(Notice.texts[0], "Updating the index …");
});

test("each way into the search opens it: by meaning, in the folder of the open note, for a link, by the ribbon", async () => {
  const { app, own } = loaded;
  const asked: unknown[] = [];
  const { server } = loaded.plugin;
  const request = server.request.bind(server);
  server.request = (method: string, params: { options?: object }, listening: object) => {
    if (method === METHOD_SEARCH) {
      asked.push(params.options);
    }
    return request(method, params, listening);
  };
  await edit(loaded, "Garden/Fern.md");
  loaded.run("search-by-meaning");
  type("moss");
  await until(() => isWhole(), "an answer");
  loaded.run("search-in-folder");
  type("orchid");
  await until(() => isWhole(), "an answer");
  assert.deepEqual(titles(), []);
  loaded.run("insert-link");
  const input = type("orchid");
  await until(() => isWhole() && titles().length > 0, "results");
  press(input, "Enter");
  await until(() => active().editor.text.endsWith("[[Orchid]]"), "the link is inserted");
  own.ribbon[0]?.();
  type("fern");
  await until(() => isWhole() && titles().length > 0, "results");
  server.request = request;
  assert.deepEqual(asked, [{ mode: "vector" }, { folder: "Garden" }, {}, {}]);
  await edit(loaded, "Orchid.md");
  assert.equal(own.commands.find(({ id }) => id === "search-in-folder")?.checkCallback?.(true), false); // it is in no folder
  app.workspace.active = undefined;
});

test("the search view has switches, and a history", async () => {
  const { app } = loaded;
  loaded.run("show-search");
  await until(() => app.workspace.getLeavesOfType(SEARCH_VIEW).length === 1, "the view");
  const [leaf] = app.workspace.getLeavesOfType(SEARCH_VIEW);
  assert.ok(leaf?.view);
  const { contentEl } = leaf.view;
  const button = (label: string) => find(`button[aria-label="${label}"]`, contentEl);
  const input = type("fern", contentEl);
  await until(() => isWhole(contentEl) && titles(contentEl).length > 0, "results");
  press(input, "Enter");
  await until(() => app.workspace.active?.file?.path === "Garden/Fern.md", "the note is open");
  button("Words only").click();
  assert.equal(button("Words only").getAttribute("aria-checked"), "true");
  assert.equal(button("Words and meaning").getAttribute("aria-checked"), "false");
  button("The folder of the open note").click();
  type("orchid", contentEl);
  await until(() => isWhole(contentEl) && find(".vaultseek-count", contentEl).textContent.includes("No notes found"), "nothing in this folder");
  press(input, "ArrowUp", { altKey: true });
  assert.equal(input.value, "fern");
  await until(() => isWhole(contentEl) && titles(contentEl).length > 0, "results");
  assert.ok(titles(contentEl).every((title) => ["Fern", "Moss"].includes(title)));
  press(input, "ArrowDown", { altKey: true });
  assert.equal(input.value, "");
  await leaf.detach();
});

test("the search can be limited to notes or to other files", async () => {
  loaded.write("Garden/beds.csv", "bed,plant\n1,zucchini\n");
  loaded.app.vault.trigger("create", { path: "Garden/beds.csv" });
  await search("zucchini");
  assert.deepEqual(titles(), ["beds"]);
  find('button[aria-label="Markdown notes only"]').click();
  await until(() => isWhole() && find(".vaultseek-count").textContent.includes("No notes found"), "no note");
  find('button[aria-label="All files but Markdown notes"]').click();
  await until(() => isWhole() && titles().length > 0, "the other file");
  assert.deepEqual(titles(), ["beds"]);
  type("fern");
  await until(() => isWhole() && find(".vaultseek-count").textContent.includes("No notes found"), "notes are left out");
});

test("clearing the index asks first", async () => {
  loaded.run("clear-index");
  assert.match(find(".modal-title").textContent, /Delete all vectors/u);
  Notice.texts.length = 0;
  find(".modal button").click(); // cancel
  assert.equal(Modal.open.length, 0);
  assert.deepEqual(Notice.texts, []);
  loaded.run("clear-index");
  find(".modal button.mod-warning").click();
  await until(() => Notice.texts.length > 1, "the answer");
  assert.equal(Notice.texts[0], "Clearing the index …");
});

test("rebuilding the index is answered, and stopping without work stops indexing in the background", async () => {
  Notice.texts.length = 0;
  loaded.run("rebuild-index");
  await until(() => Notice.texts.at(-1)?.includes("enableSemantic") === true, "the reason");
  loaded.run("stop-indexing");
  assert.match(Notice.texts.at(-1) ?? "", /Indexing is stopped/u);
});

test("the status shows the version, the vault and the log", async () => {
  loaded.run("show-status");
  await until(() => find(".modal pre").textContent.includes("Version "), "the status");
  assert.match(document.querySelectorAll(".modal pre")[1]?.textContent ?? "", /Server: /u);
});

test("no command has a default hotkey, or repeats the plugin's name", () => {
  assert.ok(loaded.own.commands.length >= 12);
  for (const { id, name, hotkeys } of loaded.own.commands) {
    assert.equal(hotkeys, undefined, id);
    assert.doesNotMatch(`${id} ${name}`, /vaultseek|obsidian/iu);
  }
});

test("a path that leads to no program shows a card that names it", async () => {
  const without = await load(NOTES, "/nowhere/vaultseek");
  without.run("search");
  type("fern");
  await until(() => document.querySelector(".vaultseek-card") !== null, "the card");
  assert.match(find(".vaultseek-card").textContent, /\/nowhere\/vaultseek/u);
  without.own.unload();
  assert.equal(Modal.open.length, 0);
});

test("without a server the search shows a card that says what to install", async () => {
  const without = await load(NOTES, "", { ...machine(""), path: [], folders: () => Promise.resolve([]), inShell: () => Promise.resolve(undefined) });
  without.run("search");
  type("fern");
  await until(() => document.querySelector(".vaultseek-card") !== null, "the card");
  assert.match(find(".vaultseek-card").textContent, /pipx install/u);
  without.own.unload();
});

test("a server that ends each time leads to a card, and unloading ends the restarts", async () => {
  const broken = await load(NOTES, program("echo broken >&2; exit 1"));
  broken.run("search");
  type("fern");
  await until(() => document.querySelector(".vaultseek-card")?.textContent.includes("It starts again in") === true, "the card");
  broken.own.unload();
  await broken.plugin.server.stop();
  assert.equal(broken.plugin.server.isRunning, false);
});

test("unloading closes every modal, and ends the server's process and every listener", async () => {
  const listeners = new Set<unknown>();
  const add = document.addEventListener.bind(document);
  const remove = document.removeEventListener.bind(document);
  document.addEventListener = (name: string, listener: EventListener) => {
    listeners.add(listener);
    add(name, listener);
  };
  document.removeEventListener = (name: string, listener: EventListener) => {
    listeners.delete(listener);
    remove(name, listener);
  };
  const other = await load(NOTES);
  assert.ok(listeners.size > 0);
  other.run("search");
  type("fern");
  await until(() => titles().length > 0, "results");
  await edit(other, "Diary.md");
  for (const command of ["why", "show-status", "clear-index"]) {
    other.run(command);
  }
  assert.equal(Modal.open.length, 4);
  const { pid } = other.plugin.server;
  assert.ok(isAlive(pid));
  other.own.unload();
  await until(() => !isAlive(pid), "the process has ended");
  assert.equal(other.app.workspace.nListeners + other.app.vault.nListeners, 0);
  assert.equal(Modal.open.length, 0);
  assert.equal(document.querySelectorAll(".modal-container").length, 0);
  Reflect.deleteProperty(document, "addEventListener");
  Reflect.deleteProperty(document, "removeEventListener");
  assert.equal(listeners.size, 0);
});

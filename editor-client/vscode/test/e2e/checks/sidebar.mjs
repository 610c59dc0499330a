// The side bar with its search page and the tree of related notes, and hovers.

import assert from "node:assert/strict";
import { until } from "../editor.mjs";

const active = (editor) => editor.webview.locator(".result.active .title").innerText();
const checked = (editor) => editor.webview.locator("[role=radio][aria-checked=true]").allInnerTexts();

/** Searches in the search view and waits for the complete answer. */
export async function ask(editor, text) {
  await editor.showViews();
  await editor.query.fill(text);
  await whole(editor);
}

async function whole(editor) {
  await until(async () => (await editor.webview.locator(".result").count()) > 0 && (await editor.webview.locator(".results").getAttribute("aria-busy")) === "false", "the complete answer");
}

const related = (editor) => editor.page.locator('.pane:has(.pane-header[aria-label*="Related Notes"])');
const tree = (editor) => related(editor).locator(".monaco-list-row");

async function follows(editor, file, note) {
  await editor.openFile(file);
  await until(async () => (await related(editor).locator(".pane-header").innerText()).includes(file), `${file} in the tree's title`);
  await tree(editor).filter({ hasText: note }).first().waitFor();
}

/** Hovers a place in the open note by keyboard, and returns the hover that contains a text. */
export async function hoverAt(editor, { line, column }, text) {
  await editor.page.locator(".editor-instance .view-lines").click();
  await editor.page.keyboard.press("Control+G");
  await editor.input.fill(`:${line}:${column}`);
  await editor.page.keyboard.press("Enter");
  const hover = editor.page.locator(".monaco-hover:not(.hidden)", { hasText: text }).first();
  await until(async () => {
    await editor.page.keyboard.press("Control+K");
    await editor.page.keyboard.press("Control+I");
    await hover.waitFor({ timeout: 4_000 });
    return true;
  }, `the hover with ${text}`);
  return hover;
}

export const checks = {
  "sidebar: results have marked matches, and bars for the parts of the score": async (editor) => {
    await editor.openFile("Glossary.md");
    await ask(editor, "orchid water");
    assert.equal((await editor.webview.locator(".result .title").first().innerText()).trim(), "Orchid care");
    const marks = await editor.webview.locator(".result").first().locator("mark").allInnerTexts();
    assert.deepEqual([...new Set(marks.map((mark) => mark.toLowerCase()))].sort(), ["orchid", "water"]);
    await editor.webview.locator(".result .strength").first().click();
    const widths = await editor.webview.locator(".explanation .segment").evaluateAll((all) => all.map((segment) => segment.getBoundingClientRect().width));
    assert.ok(widths.length > 1 && widths.every((width) => width > 1), `bars ${widths.join(", ")}`);
    assert.match((await editor.webview.locator(".legend").innerText()).replace(/\s+/gu, " "), /lexical \+0\.\d+ .*semantic \+0\.\d+/u);
    await editor.picture("sidebar");
  },

  "sidebar: it can be used with the keyboard only": async (editor) => {
    await ask(editor, "orchid water");
    await editor.query.press("Control+.");
    await editor.webview.locator(".explanation").waitFor({ state: "detached" });
    await editor.query.press("ArrowDown");
    assert.equal(await active(editor), "Prices");
    assert.equal(await editor.query.getAttribute("aria-activedescendant"), "result-1");
    await editor.query.press("Control+.");
    await editor.webview.locator(".result.active .explanation").waitFor();
    await editor.query.press("Control+.");
    await editor.query.press("ArrowUp");
    await editor.query.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "Orchid care.md" }).waitFor();
    await editor.query.press("ArrowDown");
    await editor.query.press("Control+Enter");
    await until(async () => (await editor.page.locator(".editor-group-container").count()) === 2, "a second group");
    await editor.query.press("Tab");
    await editor.webview.locator("[data-value=hybrid]:focus").press("ArrowRight");
    assert.deepEqual(await checked(editor), ["Words", "Vault", "All files"]);
    await editor.webview.locator("[data-value=keyword]:focus").press("Tab");
    await editor.webview.locator("[data-value=vault]:focus").press("ArrowRight");
    assert.deepEqual(await checked(editor), ["Words", "Folder", "All files"]);
    await whole(editor);
    await until(async () => (await editor.webview.locator(".result .folder").allInnerTexts()).every((folder) => folder === "Ünï cødé"), "only notes of the folder");
    await editor.webview.locator("[data-value=folder]:focus").press("ArrowLeft");
    await editor.webview.locator("[data-value=vault]:focus").press("Tab");
    await editor.webview.locator("[data-value=everything]:focus").press("ArrowRight");
    assert.deepEqual(await checked(editor), ["Words", "Vault", "Notes"]);
    await whole(editor);
    await editor.webview.locator("[data-value=notes]:focus").press("ArrowLeft");
    await editor.webview.locator("[data-value=everything]:focus").press("Escape");
    await editor.webview.locator("input.query:focus").waitFor();
    await editor.webview.locator("[data-value=hybrid]").click();
    await editor.closeAll();
  },

  "sidebar: weak results are below a line that Enter and a click unfold": async (editor) => {
    await ask(editor, "orchid care mirror washing zebrawood");
    const fold = editor.webview.locator(".fold");
    const shown = () => editor.webview.locator(".result").count();
    assert.match(await fold.innerText(), /\d+ weak results?\s*, hidden/u);
    const nStrong = await shown();
    for (let n = 0; n < nStrong; n += 1) {
      await editor.query.press("ArrowDown");
    }
    await editor.webview.locator(".fold.active").waitFor();
    await editor.picture("folded");
    await editor.query.press("Enter");
    await editor.webview.locator(".fold", { hasText: "shown" }).waitFor();
    assert.ok((await shown()) > nStrong);
    await editor.query.press("ArrowDown");
    await editor.webview.locator(".fold + .result.active").waitFor();
    await editor.picture("unfolded");
    await fold.click();
    await until(async () => (await shown()) === nStrong, "the weak results are hidden again");
  },

  "sidebar: Alt and the arrow keys recall earlier searches": async (editor) => {
    await ask(editor, "zebrawood");
    await editor.query.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "dollar" }).waitFor();
    await ask(editor, "orchid roots");
    await editor.query.press("Enter");
    await editor.page.locator(".tab.active", { hasText: "Orchid care.md" }).waitFor();
    await editor.query.fill("");
    const seen = [];
    for (const key of ["Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowDown", "Alt+ArrowDown"]) {
      await editor.query.press(key);
      seen.push(await editor.query.inputValue());
    }
    assert.deepEqual(seen, ["orchid roots", "zebrawood", "orchid roots", ""]);
  },

  "sidebar: its query and answer are restored after another view was shown": async (editor) => {
    await ask(editor, "orchid water");
    await editor.page.keyboard.press("Control+Shift+E");
    await editor.page.locator(".sidebar .composite.title", { hasText: "Explorer" }).waitFor();
    await editor.showViews();
    await whole(editor);
    assert.equal(await editor.query.inputValue(), "orchid water");
    assert.equal(await active(editor), "Orchid care");
  },

  "related: the tree follows the active editor and shows reasons": async (editor) => {
    await editor.set({ "vaultseek.related.linked": "include" }); // last, the linked note would be below the tree's edge
    await editor.showViews();
    await follows(editor, "dollar $x$ & 100%.md", "Orchid care");
    const labels = await tree(editor).evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
    assert.match(labels.join("\n"), /Orchid care, already linked\. .*[Ss]hares "orchid"/u);
    await until(async () => (await editor.item.innerText()).trim() === "Vaultseek", "all vectors");
    await editor.picture("related");
    await follows(editor, "知識ノート.md", "Orchid care");
    await editor.set({ "vaultseek.related.linked": null });
  },

  "related: a row's buttons insert a link and open to the side": async (editor) => {
    await follows(editor, "party 🎉.md", "Public night"); // the first by meaning, which is known after the words
    const row = related(editor).locator('.monaco-list-row[data-index="0"]');
    const press = (label) =>
      until(async () => {
        await row.hover();
        await row.locator(`.action-label[aria-label="${label}"]`).click({ timeout: 2_000 });
        return true;
      }, `a click on ${label}`);
    const title = await row.locator(".label-name").innerText();
    await editor.page.locator(".editor-instance .view-lines").click();
    await editor.page.keyboard.press("Control+End");
    await press("Insert Link");
    await until(async () => (await editor.texts()).some((text) => text.includes(`[[${title}]]`)), "the link");
    await press("Open to the Side");
    await until(async () => (await editor.page.locator(".editor-group-container").count()) === 2, "a second group");
    await editor.closeAll();
  },

  "related: a note dragged into the editor becomes a link": async (editor) => {
    await follows(editor, "Orchid care.md", "Mirror washing");
    const from = await tree(editor).filter({ hasText: "Mirror washing" }).boundingBox();
    const to = await editor.page.locator(".editor-instance .view-line").last().boundingBox();
    const { mouse } = editor.page;
    const place = editor.page.locator(".monaco-editor .dnd-target");
    await mouse.move(from.x + 60, from.y + 10);
    await mouse.down();
    await mouse.move(from.x + 80, from.y + 10, { steps: 3 });
    await mouse.move(to.x + 200, to.y + 5, { steps: 12 });
    await until(async (n) => {
      await mouse.move(to.x + 200 + (n % 2), to.y + 5); // a person's mouse is never quite still
      return (await place.count()) > 0;
    }, "the mark at the drop position");
    await mouse.up();
    await until(async () => (await editor.texts()).some((text) => text.includes("[[Mirror washing]]")), "the link");
    await editor.closeAll();
  },

  "hover: a link shows its target and related notes": async (editor) => {
    await editor.openFile("dollar $x$ & 100%.md");
    const hover = await hoverAt(editor, { line: 3, column: 40 }, "rain water");
    assert.match(await hover.innerText(), /[Rr]elated/u);
    await tree(editor).first().waitFor();
    await until(() => hover.evaluate((element) => getComputedStyle(element).opacity === "1"), "a fully visible hover");
    await editor.screenshot("hover");
    await editor.page.keyboard.press("Escape");
    await editor.closeAll();
  },
};

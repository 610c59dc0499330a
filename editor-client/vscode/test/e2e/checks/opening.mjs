// Files that are no text: opened as their text, or in an editor for them.

import assert from "node:assert/strict";
import { until } from "../editor.mjs";
import { addFiles } from "../vaults.mjs";
import { ask } from "./sidebar.mjs";

const tab = (editor, name) => editor.page.locator(".tab.active", { hasText: name }).first();
const selected = (editor, place) => until(async () => (await editor.statusBar()).includes(place), `the selection ${place}`);

const menuItem = (editor, name) => editor.page.locator(".monaco-menu .action-label", { hasText: name });

/** Opens the menu of a row, which may move as the list gets its rows. */
async function openMenu(editor, row, name) {
  await until(async () => {
    await editor.page.keyboard.press("Escape");
    await row.click({ button: "right", timeout: 3000 });
    await menuItem(editor, name).waitFor({ timeout: 3000 });
    return true;
  }, `the menu with ${name}`);
}

/** Chooses an item of the open menu, which ignores clicks in its first moments. */
async function choose(editor, name) {
  const item = menuItem(editor, name);
  await until(async () => {
    if (!(await item.isVisible())) {
      return true;
    }
    await item.click({ timeout: 1000 });
    return false;
  }, `${name} is chosen`);
}

/** Searches in the palette until the file, which is read in the background, is found by its text. */
async function find(editor, words, title) {
  await until(async () => {
    await editor.search(words);
    const labels = await editor.answered(() => true, "an answer");
    const first = labels[0] ?? ""; // an answer to what was typed at first can have the file further down
    if (first.startsWith(title) && new RegExp(`,[^,]*${words.split(" ")[0]}[^,]*$`, "u").test(first)) {
      return true;
    }
    await editor.page.keyboard.press("Escape");
    return false;
  }, `${title} by its text`);
}

export const checks = {
  "opening: a PDF opens as its text with the match selected, read-only and without links": async (editor, { vault }) => {
    addFiles(vault);
    await find(editor, "okapipaper type:pdf", "paper");
    await editor.page.keyboard.press("Enter");
    await tab(editor, "paper.pdf (text)").waitFor();
    await selected(editor, "Ln 3, Col 18 (10 selected)");
    await until(async () => (await editor.texts()).some((text) => text.includes("https://evil.example/x and command:evil")), "the text");
    assert.equal(await editor.page.locator(".detected-link, .detected-link-active").count(), 0);
    await editor.picture("text-of-a-pdf");
    await editor.page.keyboard.type("x");
    assert.equal(await editor.page.locator(".tab.dirty").count(), 0);
    await editor.page.keyboard.press("Escape");
    await editor.page.keyboard.press("Control+Shift+O");
    await editor.rows.filter({ hasText: "Page 2" }).first().waitFor();
    await editor.page.keyboard.press("Escape");
    await editor.closeAll();
  },

  "opening: in an editor of another extension, a PDF opens at its page, and its text by a button": async (editor) => {
    await editor.set({ "workbench.editorAssociations": { "*.pdf": "hands.viewer" } });
    await find(editor, "okapipaper type:pdf", "paper");
    await editor.page.keyboard.press("Enter");
    const viewer = editor.page.frameLocator('iframe.webview[src*="extensionId=e2e.hands"]').frameLocator("iframe#active-frame");
    await viewer.getByText("#page=2").waitFor();
    await find(editor, "okapipaper type:pdf", "paper");
    await editor.rows.first().hover();
    await editor.rows.first().locator(".codicon-go-to-file").click();
    await editor.page.locator(".tab", { hasText: "paper.pdf (text)" }).first().waitFor(); // the viewer may come to the front again
    await editor.set({ "workbench.editorAssociations": null });
    await editor.closeAll();
  },

  "opening: a canvas opens at its card, and its text by a button": async (editor) => {
    await find(editor, "okapikraut", "board");
    await editor.page.keyboard.press("Enter");
    await tab(editor, "board.canvas").waitFor();
    await selected(editor, "Ln 9, Col 1");
    await find(editor, "okapikraut", "board");
    await editor.rows.first().hover();
    await editor.rows.first().locator(".codicon-go-to-file").click();
    await tab(editor, "board.canvas (text)").waitFor();
    await selected(editor, "Ln 3, Col 15 (10 selected)");
    await editor.closeAll();
  },

  "opening: a notebook opens at its cell": async (editor) => {
    await find(editor, "okapicell", "cells");
    await editor.page.keyboard.press("Enter");
    await tab(editor, "cells.ipynb").waitFor();
    await editor.page.locator(".notebook-editor").first().waitFor();
    await until(async () => /Cell 2 of 2/u.test(await editor.statusBar()), "the second cell");
    await editor.closeAll();
  },

  "opening: rows of files have a menu": async (editor) => {
    await ask(editor, "okapipaper type:pdf");
    await openMenu(editor, editor.webview.locator(".result").first(), "Open with the System's Program");
    await choose(editor, "Open Text");
    await tab(editor, "paper.pdf (text)").waitFor();
    await selected(editor, "Ln 3, Col 18 (10 selected)");
    await editor.closeAll();
    await editor.openFile("About okapis.md");
    const row = editor.page.locator('.pane:has(.pane-header[aria-label*="Related Notes"]) .monaco-list-row', { hasText: "paper" }).first();
    await row.waitFor();
    await openMenu(editor, row, "Open Text");
    await choose(editor, "Open Text");
    await tab(editor, "paper.pdf (text)").waitFor();
    await editor.closeAll();
  },
};

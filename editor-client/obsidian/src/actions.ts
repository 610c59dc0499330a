// What can be done with a result: open it at the match, link it, or create a note instead.

import { MarkdownView, normalizePath, Notice, type App, type PaneType, type TFile } from "obsidian";
import { isDocument } from "../../shared/documents";
import { matchOf } from "../../shared/match";
import { fileName, nameOf } from "../../shared/text";
import type { WireResult } from "../../shared/wire";
import { lastEditor, type Place } from "./vault";

const SHOWN = new Set(["md", "canvas", "base"]); // by the app, next to PDF files, pictures, sound and video

type Target = Pick<WireResult, "id" | "snippets" | "sections">;

/** Opens a note with the match selected, or another file at its page or card; `pane` is what Obsidian's modifier keys mean. */
export async function openResult(app: App, result: Target, pane: PaneType | boolean, snippet = 0): Promise<void> {
  const file = app.vault.getFileByPath(result.id);
  if (file === null) {
    new Notice(`${result.id} is not in this vault any more.`);
    return;
  }
  if (!isShown(app, file) && !isDocument(file.name)) {
    new Notice(`${file.name} is not opened with the system's program, since it could be a program itself.`);
    return;
  }
  const shown = result.snippets[snippet];
  const place = matchOf(result, snippet);
  const leaf = app.workspace.getLeaf(pane);
  const line = place === undefined ? {} : { line: place.start.line };
  const eState = shown?.fragment === undefined ? line : { subpath: `#${shown.fragment}` }; // as of a link to a page or card
  await leaf.openFile(file, { active: true, eState });
  if (place !== undefined && leaf.view instanceof MarkdownView && leaf.view.getMode() === "source") {
    const { editor } = leaf.view;
    const [from, to] = [place.start, place.end].map(({ line, character }) => ({ line, ch: character })) as [Spot, Spot];
    editor.setSelection(from, to);
    editor.scrollIntoView({ from, to }, true);
  }
}

/** Whether the app or a plugin shows files of this type; all others are opened with the system's program. */
function isShown(app: App, { extension }: TFile): boolean {
  const { viewRegistry } = app as { viewRegistry?: { getTypeByExtension?: (extension: string) => string | undefined } }; // not in the public API
  return SHOWN.has(extension.toLowerCase()) || viewRegistry?.getTypeByExtension?.(extension) !== undefined;
}

interface Spot {
  line: number;
  ch: number;
}

/** What a link to a result says: its path, and the page or card of its first excerpt. */
export function linkTextOf({ id, snippets: [first] }: Target): string {
  return first?.fragment === undefined ? id : `${id}#${first.fragment}`;
}

/** Writes a link to a note where the cursor is, in the form of Obsidian's settings; without an editor it is copied. */
export async function insertLink(app: App, id: string, place: Place | undefined = lastEditor(app)): Promise<void> {
  const file = app.vault.getFileByPath(id);
  if (file === null) {
    new Notice(`${id} is not in this vault any more.`);
    return;
  }
  const link = app.fileManager.generateMarkdownLink(file, place?.file.path ?? "");
  if (place === undefined) {
    await navigator.clipboard.writeText(link);
    new Notice(`No note is open, so ${link} was copied.`);
    return;
  }
  place.editor.replaceSelection(link);
  place.editor.focus();
}

/** Creates and opens a note named like the query, in the folder of Obsidian's settings; opens one that exists already. */
export async function createNote(app: App, query: string, pane: PaneType | boolean): Promise<void> {
  const name = fileName(query);
  if (name === undefined) {
    new Notice("Type a name for the note.");
    return;
  }
  const parent = app.fileManager.getNewFileParent(app.workspace.getActiveFile()?.path ?? "", name);
  const path = normalizePath(`${parent.path}/${name}`);
  const file: TFile = app.vault.getFileByPath(path) ?? (await app.vault.create(path, ""));
  await app.workspace.getLeaf(pane).openFile(file, { active: true });
  new Notice(`Opened ${nameOf(path)}.`);
}

// Notes of the vault as the server names them.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MarkdownView, type App, type Editor, type TFile } from "obsidian";

/** The URI of a file in the vault. */
export function uriOf(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}

/** An editor with its note. */
export interface Place {
  readonly editor: Editor;
  readonly file: TFile;
}

/** The editor that the user worked in last, also while a side bar has the focus. */
export function lastEditor({ workspace }: App): Place | undefined {
  const active = workspace.activeEditor;
  if (active?.editor !== undefined && active.file !== null) {
    return { editor: active.editor, file: active.file };
  }
  const view = workspace.getMostRecentLeaf()?.view;
  return view instanceof MarkdownView && view.file !== null ? { editor: view.editor, file: view.file } : undefined;
}

/** The views of notes that are loaded, by the path of their note. */
export function openViews({ workspace }: App): Map<string, MarkdownView> {
  const found = new Map<string, MarkdownView>();
  for (const { view } of workspace.getLeavesOfType("markdown")) {
    if (view instanceof MarkdownView && view.file !== null) {
      found.set(view.file.path, view);
    }
  }
  return found;
}

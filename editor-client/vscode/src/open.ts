// Notes opened at the line that matched, with the match selected.

import * as vscode from "vscode";
import type { WireRange, WireResult } from "../../shared/wire";

export interface Opening {
  readonly isAside?: boolean;
  readonly isPreview?: boolean;
  readonly keepsFocus?: boolean;
}

// All other files are opened by the user's editor for them: a canvas or a notebook is JSON, and an image is no text.
const IS_TEXT = /\.(?:md|markdown|txt|org|rst|adoc|asciidoc|html?|csv|base)$/i;
const CELL = /^cell=(\d{1,6})$/;

export async function openResult(result: WireResult, how: Opening = {}): Promise<void> {
  const snippet = result.snippets[0];
  const place = snippet?.highlights[0] ?? snippet?.range;
  const line = result.sections[0]?.line;
  await openAt(result.uri, place ?? (line === undefined ? undefined : lineRange(line)), how, snippet?.fragment);
}

export async function openAt(
  uri: string,
  place: WireRange | undefined,
  how: Opening = {},
  fragment?: string,
): Promise<void> {
  const file = vscode.Uri.parse(uri, true);
  const shown = {
    preview: how.isPreview ?? true,
    preserveFocus: how.keepsFocus ?? false,
    viewColumn: how.isAside === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  };
  if (!IS_TEXT.test(file.path)) {
    const cell = Number(CELL.exec(fragment ?? "")?.[1] ?? 0);
    if (cell > 0 && (await showsCell(file, cell, shown))) {
      return;
    }
    const selection = place === undefined ? {} : { selection: toRange(place) };
    await vscode.commands.executeCommand("vscode.open", file, { ...shown, ...selection });
    return;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const selection = place === undefined ? undefined : document.validateRange(toRange(place));
  const editor = await vscode.window.showTextDocument(document, {
    ...shown,
    ...(selection === undefined ? {} : { selection }),
  });
  if (selection !== undefined) {
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** Whether the notebook could be shown with this cell selected, from 1; not without an extension for notebooks. */
async function showsCell(file: vscode.Uri, cell: number, shown: vscode.NotebookDocumentShowOptions): Promise<boolean> {
  try {
    const notebook = await vscode.workspace.openNotebookDocument(file);
    await vscode.window.showNotebookDocument(notebook, {
      ...shown,
      selections: [new vscode.NotebookRange(cell - 1, cell)],
    });
    return true;
  } catch {
    return false;
  }
}

function lineRange(line: number): WireRange {
  return { start: { line, character: 0 }, end: { line, character: 0 } };
}

function toRange({ start, end }: WireRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

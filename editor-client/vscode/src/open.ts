// Notes opened at the line that matched, with the match selected.

import * as vscode from "vscode";
import type { WireRange, WireResult } from "../../shared/wire";

export interface Opening {
  readonly isAside?: boolean;
  readonly isPreview?: boolean;
  readonly keepsFocus?: boolean;
}

// Opened as the user's editor for them does it, since their lines are JSON, and no place in them is known.
const HAS_OWN_EDITOR = /\.(?:canvas|ipynb|pdf|docx|pptx|xlsx|odt|epub)$/i;

export async function openResult(result: WireResult, how: Opening = {}): Promise<void> {
  const snippet = result.snippets[0];
  const place = snippet?.highlights[0] ?? snippet?.range;
  const line = result.sections[0]?.line;
  await openAt(result.uri, place ?? (line === undefined ? undefined : lineRange(line)), how);
}

export async function openAt(uri: string, place: WireRange | undefined, how: Opening = {}): Promise<void> {
  const file = vscode.Uri.parse(uri, true);
  const shown = {
    preview: how.isPreview ?? true,
    preserveFocus: how.keepsFocus ?? false,
    viewColumn: how.isAside === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  };
  if (HAS_OWN_EDITOR.test(file.path)) {
    await vscode.commands.executeCommand("vscode.open", file, shown);
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

function lineRange(line: number): WireRange {
  return { start: { line, character: 0 }, end: { line, character: 0 } };
}

function toRange({ start, end }: WireRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

// Notes opened at the line that matched, with the match selected.

import * as vscode from "vscode";
import type { WireRange, WireResult } from "../../shared/wire";

export interface Opening {
  readonly isAside?: boolean;
  readonly isPreview?: boolean;
  readonly keepsFocus?: boolean;
}

export async function openResult(result: WireResult, how: Opening = {}): Promise<void> {
  const snippet = result.snippets[0];
  const place = snippet?.highlights[0] ?? snippet?.range;
  const line = result.sections[0]?.line;
  await openAt(result.uri, place ?? (line === undefined ? undefined : lineRange(line)), how);
}

export async function openAt(uri: string, place: WireRange | undefined, how: Opening = {}): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const selection = place === undefined ? undefined : document.validateRange(toRange(place));
  const editor = await vscode.window.showTextDocument(document, {
    preview: how.isPreview ?? true,
    preserveFocus: how.keepsFocus ?? false,
    viewColumn: how.isAside === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
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

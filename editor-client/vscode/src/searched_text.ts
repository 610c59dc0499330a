// Read-only documents with the text of files that VS Code cannot show, such as a PDF, as it is searched.

import * as vscode from "vscode";
import { startOf } from "../../shared/match";
import { METHOD_TEXT, type TextAnswer, type TextParams, type WirePlace, type WireRange } from "../../shared/wire";
import type { Server } from "./server/client";
import { placeName } from "./text";

/** The scheme of these documents, and their language: in it, addresses in the text are no links. */
export const TEXT_SCHEME = "vaultseek-text";
const N_KEPT = 5; // texts; one can have four million characters

/** The file whose text a document shows; undefined for any other document. */
export function fileOf({ scheme, query }: vscode.Uri): vscode.Uri | undefined {
  return scheme === TEXT_SCHEME ? vscode.Uri.parse(query, true) : undefined;
}

export class SearchedTexts implements vscode.TextDocumentContentProvider, vscode.DocumentSymbolProvider, vscode.Disposable {
  private readonly known = new Map<string, TextAnswer>(); // the last ones, by the document's URI
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: { dispose(): unknown }[];

  constructor(private readonly server: Pick<Server, "request">) {
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, this),
      vscode.languages.registerDocumentSymbolProvider({ scheme: TEXT_SCHEME }, this),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document.uri.scheme === TEXT_SCHEME && document.languageId !== TEXT_SCHEME) {
          void vscode.languages.setTextDocumentLanguage(document, TEXT_SCHEME);
        }
      }),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return (this.known.get(uri.toString()) ?? (await this.ask(uri))).text;
  }

  /** The pages, cards or cells, for the outline and for *Go to Symbol*. */
  async provideDocumentSymbols(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
    const { places } = this.known.get(document.uri.toString()) ?? (await this.ask(document.uri));
    return places.map((place, at) => {
      const next = places[at + 1]?.line ?? document.lineCount;
      const whole = document.validateRange(new vscode.Range(place.line, 0, Math.max(place.line, next - 1), Number.MAX_SAFE_INTEGER));
      const first = document.lineAt(whole.start.line);
      return new vscode.DocumentSymbol(placeName(place, first.text), "", vscode.SymbolKind.String, whole, first.range);
    });
  }

  /** Shows the text of a file with a range of it selected, or a page, card or cell by its fragment. */
  async show(file: string, place: WireRange | undefined, fragment: string | undefined, how: vscode.TextDocumentShowOptions): Promise<void> {
    const uri = vscode.Uri.from({ scheme: TEXT_SCHEME, path: `${vscode.Uri.parse(file, true).path} (text)`, query: file });
    const before = this.known.get(uri.toString());
    const answer = await this.ask(uri); // also if the text is open: the file may have changed
    if (before !== undefined && before.text !== answer.text) {
      this.changed.fire(uri);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const selection = document.validateRange(toRange(place ?? placeOf(fragment, answer.places)));
    const editor = await vscode.window.showTextDocument(document, { ...how, selection });
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async ask(uri: vscode.Uri): Promise<TextAnswer> {
    const params: TextParams = { textDocument: { uri: uri.query } };
    const answer = await this.server.request<TextAnswer>(METHOD_TEXT, params);
    this.known.delete(uri.toString());
    this.known.set(uri.toString(), answer);
    for (const old of [...this.known.keys()].slice(0, -N_KEPT)) {
      this.known.delete(old);
    }
    return answer;
  }
}

function placeOf(fragment: string | undefined, places: readonly WirePlace[]): WireRange {
  return startOf(places.find((place) => place.fragment === fragment)?.line ?? 0);
}

export function toRange({ start, end }: WireRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

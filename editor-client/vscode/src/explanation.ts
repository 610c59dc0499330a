// Explanations as read-only documents next to the note.

import * as vscode from "vscode";
import { explained } from "../../shared/explained";
import { METHOD_EXPLAIN, type ExplainAnswer, type SearchOptions } from "../../shared/wire";
import type { Server } from "./server/client";
import { vaultToName } from "./vaults";

export const SCHEME = "vaultseek-why";
const N_KEPT = 20;

export class Explanations implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This explanation is no longer available. Run the command again.";
  }

  /** Shows why a note has its rank, or which step of the search removed it. */
  async show(query: string, note: string, title: string, options: SearchOptions = {}): Promise<void> {
    const answer = await this.server.request<ExplainAnswer>(METHOD_EXPLAIN, { query, note, options, ...vaultToName() });
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/Why ${title.replace(/[/\\]/gu, " ")}.txt`, query: `${query}\n${note}` });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), explained(query, answer));
    for (const old of [...this.texts.keys()].slice(0, -N_KEPT)) {
      this.texts.delete(old);
    }
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), SCHEME);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }
}

// Explanations as read-only documents next to the note.

import * as vscode from "vscode";
import type { Server } from "./server/client";
import { arithmetic, strengthArithmetic } from "./trail";
import { vaultToName } from "./vaults";
import { METHOD_EXPLAIN, type ExplainAnswer, type SearchOptions, type WireResult } from "./wire";

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
    this.texts.set(uri.toString(), asText(query, answer));
    for (const old of [...this.texts.keys()].slice(0, -N_KEPT)) {
      this.texts.delete(old);
    }
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), SCHEME);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }
}

function asText(query: string, answer: ExplainAnswer): string {
  const place = answer.rank === undefined ? `not shown (${answer.step})` : `number ${answer.rank} of ${answer.total}`;
  const lines = [`${answer.note}: ${place}`, `for ${query}`, "", answer.sentence];
  if (answer.found !== undefined) {
    lines.push("", ...strengthArithmetic(answer.found), "", ...arithmetic(answer.found), "", ...words(answer.found));
  }
  if (answer.lastShown !== undefined && answer.lastShown.id !== answer.note) {
    lines.push("", `Last note of the answer: ${answer.lastShown.id}`, ...arithmetic(answer.lastShown));
  }
  lines.push(...answer.notices.flatMap(({ message }) => ["", message]));
  return lines.join("\n") + "\n";
}

function words(result: WireResult): string[] {
  return result.explanation.lexicalMatches.map(
    ({ query, field, count, kind, weight }) => `${query}: ${count} × ${kind} in ${field} (weight ${weight})`,
  );
}

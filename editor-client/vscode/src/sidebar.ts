// The search view in the side bar: a separate page, which communicates only by messages.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { typesOf } from "../../shared/kinds";
import { Latest } from "../../shared/latest";
import { messageOf } from "../../shared/text";
import { METHOD_SEARCH, type SearchAnswer, type SearchOptions, type WireResult } from "../../shared/wire";
import type { FromPage, ToPage, Question } from "./messages";
import type { Opener } from "./open";
import type { Server } from "./server/client";
import { folderInVault, vaultToName } from "./vaults";

const PAUSE_MS = 120;

export class SearchView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private answer: SearchAnswer | undefined;
  private readonly latest: Latest<Question, SearchAnswer>;

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
    private readonly onNotices: (answer: SearchAnswer) => void,
    private readonly opener: Pick<Opener, "open">,
  ) {
    this.latest = new Latest<Question, SearchAnswer>(
      async (question, signal, onPart) => {
        const params = { query: question.query, options: await this.optionsOf(question), ...vaultToName() };
        return server.request<SearchAnswer>(METHOD_SEARCH, params, { signal, onPart });
      },
      (answer, question, isWhole) => {
        this.answer = answer;
        this.post({ type: "answer", query: question.query, answer, isWhole });
        if (isWhole) {
          this.onNotices(answer);
        }
      },
      (error, question) => {
        this.post({ type: "failure", query: question.query, message: messageOf(error) });
      },
      PAUSE_MS,
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const roots = [vscode.Uri.joinPath(this.extension, "dist"), vscode.Uri.joinPath(this.extension, "media")];
    view.webview.options = { enableScripts: true, localResourceRoots: roots };
    view.webview.html = page(view.webview, this.extension);
    view.webview.onDidReceiveMessage((message: FromPage) => {
      this.receive(message).catch((error: unknown) => {
        void vscode.window.showErrorMessage(messageOf(error));
      });
    });
    view.onDidDispose(() => {
      this.latest.cancel();
      this.view = undefined;
    });
  }

  /** The result with this id in the last answer. */
  resultOf(id: string): WireResult | undefined {
    return this.answer?.results.find((result) => result.id === id);
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case "search":
        if (message.question.query.trim() === "") {
          this.latest.cancel();
        } else {
          this.latest.request(message.question);
        }
        break;
      case "open": {
        // Only notes from the server's answer are opened, whatever the page requests.
        const result = this.resultOf(message.id);
        if (result !== undefined) {
          await this.opener.open(result, { isAside: message.isAside, keepsFocus: message.keepsFocus }, message.snippet);
        }
        break;
      }
    }
  }

  private async optionsOf({ mode, scope, kinds }: Question): Promise<SearchOptions> {
    const active = vscode.window.activeTextEditor?.document.uri;
    const isInside = scope === "folder" && active?.scheme === "file";
    const folder = isInside ? await folderInVault(this.server, vscode.Uri.joinPath(active, "..")) : undefined;
    return { mode, ...typesOf(kinds), ...(folder === undefined || folder === "" ? {} : { folder }) };
  }

  private post(message: ToPage): void {
    void this.view?.webview.postMessage(message);
  }
}

function page(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(24).toString("base64");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", "webview.js"));
  const style = webview.asWebviewUri(vscode.Uri.joinPath(extension, "media", "search.css"));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style.toString()}">
<title>Search</title>
</head>
<body><main id="main"></main><script nonce="${nonce}" src="${script.toString()}"></script></body>
</html>`;
}

// Options of VS Code's client library: no messages of its own, no keys in its log, and the settings that the server knows.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { withoutKeys } from "../keys";

const OWN = new Set(["server", "trace", "newNoteFolder", "related", "assistant"]); // settings of the client only

/** The inputs of the options. */
export interface Setup {
  readonly output: vscode.LogOutputChannel;
  readonly keys: Readonly<Record<string, string>>;
  /** Whether the server may compute vectors in the background. */
  readonly mayFill: () => boolean;
  /** Called when the connection ends unexpectedly. */
  readonly onEnd: () => void;
}

/** The library's client with its messages redirected to the log: this extension shows its own, once each. */
export class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export function optionsOf({ output, keys, mayFill, onEnd }: Setup): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: "file", language: "markdown" },
      { scheme: "untitled", language: "markdown" },
    ],
    outputChannel: output,
    traceOutputChannel: withoutKeys(output, Object.values(keys)),
    initializationOptions: { ...forServer(vscode.workspace.getConfiguration("vaultseek"), mayFill()), keys },
    markdown: { isTrusted: false, supportHtml: false },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        onEnd();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          return Array.isArray(answers) ? answers.map((answer) => forServer(answer, mayFill())) : answers;
        },
      },
    },
  };
}

/** The settings for the server; in an untrusted workspace only keyword search, without endpoints. */
function forServer(settings: unknown, mayFill: boolean): object | null {
  if (typeof settings !== "object" || settings === null) {
    return null;
  }
  const known = Object.fromEntries(Object.entries(settings).filter(([name]) => !OWN.has(name)));
  return {
    ...known,
    ...(mayFill ? {} : { autoIndex: "never" }),
    ...(vscode.workspace.isTrusted ? {} : { enableSemantic: false, embedding: null, chat: null, rerank: null }),
  };
}

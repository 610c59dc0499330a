// How VS Code's client library is set up: quietly, without keys in its log, and with the settings that the server knows.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { withoutKeys } from "../keys";

const OWN = new Set(["server", "trace", "newNoteFolder"]); // settings of the client alone

/** What the server's options are made of. */
export interface Setup {
  readonly output: vscode.LogOutputChannel;
  readonly keys: Readonly<Record<string, string>>;
  /** Whether the server may make vectors without being told to. */
  readonly mayFill: () => boolean;
  /** Called when the connection ends and nobody asked for it. */
  readonly onEnd: () => void;
}

/** The library's client, whose messages go to the log alone: what users need to know they are told once, by us. */
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

/** The settings that the server knows; for an untrusted workspace words alone, and nothing is asked elsewhere. */
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

// Unsaved text: notes that are edited are sent to the server, so that it searches what the user sees.
//
// An edit only marks a note, and the text is read before the next request or after a pause: a long note is not copied at
// every key, and a very long one not at all. A note is sent once it was edited, and until no view shows it any more.

import type { MessageConnection } from "vscode-jsonrpc";
import type { MarkdownView } from "obsidian";
import { uriOf } from "./vault";

const PAUSE_MS = 400;
const MOST = 2_000_000; // characters; copying more can be felt while typing, and the app saves every two seconds

interface Sent {
  version: number;
  text: string;
}

/** What the buffers need of the app and the server. */
export interface Around {
  readonly root: string;
  /** The views of open notes by path. */
  views(): ReadonlyMap<string, Pick<MarkdownView, "getViewData">>;
  /** The connection of the running server. */
  connection(): MessageConnection | undefined;
}

export class Buffers {
  private readonly edited = new Set<string>(); // notes that may differ from what was sent
  private readonly sent = new Map<string, Sent>();
  private connection: MessageConnection | undefined;
  private timer: number | undefined;

  constructor(private readonly around: Around) {}

  /** A note was edited, or its file changed under an edited view. */
  touched(path: string): void {
    this.edited.add(path);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.flush(this.around.connection());
    }, PAUSE_MS);
  }

  /** A note's file changed: an edited view of it may show the new text. */
  saved(path: string): void {
    if (this.sent.has(path)) {
      this.touched(path);
    }
  }

  renamed(from: string, to: string): void {
    if (this.sent.has(from) || this.edited.has(from)) {
      this.edited.delete(from);
      this.touched(to);
    }
  }

  /** Sends what was edited, and closes notes that no view shows; all of them again after the server was started again. */
  flush(connection: MessageConnection | undefined): void {
    window.clearTimeout(this.timer);
    if (connection === undefined) {
      return;
    }
    if (connection !== this.connection) {
      for (const path of this.sent.keys()) {
        this.edited.add(path);
      }
      this.sent.clear();
      this.connection = connection;
    }
    const views = this.around.views();
    for (const path of [...this.sent.keys()].filter((each) => !views.has(each))) {
      this.sent.delete(path);
      this.send("textDocument/didClose", { textDocument: { uri: this.uri(path) } });
    }
    for (const path of this.edited) {
      const view = views.get(path);
      const text = view?.getViewData();
      if (text !== undefined && text.length <= MOST) {
        this.update(path, text);
      } else if (this.sent.delete(path)) {
        this.send("textDocument/didClose", { textDocument: { uri: this.uri(path) } });
      }
    }
    this.edited.clear();
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  private update(path: string, text: string): void {
    const uri = this.uri(path);
    const before = this.sent.get(path);
    if (before === undefined) {
      this.sent.set(path, { version: 1, text });
      this.send("textDocument/didOpen", { textDocument: { uri, languageId: "markdown", version: 1, text } });
    } else if (before.text !== text) {
      before.version += 1;
      before.text = text;
      this.send("textDocument/didChange", { textDocument: { uri, version: before.version }, contentChanges: [{ text }] });
    }
  }

  private uri(path: string): string {
    return uriOf(this.around.root, path);
  }

  private send(method: string, params: object): void {
    this.connection?.sendNotification(method, params).catch(() => undefined); // a server that has ended needs no text
  }
}

// Changes of files, told to the server in groups. They are hints: the server also notices changes by itself.

import { uriOf } from "./vault";

const PAUSE_MS = 200;
const MOST = 500; // changes in a group, so that a vault of which all files change holds up nothing
const NEXT_MS = 20; // until the next group

/** Kinds of changes, as LSP numbers them. */
export const CREATED = 1;
export const CHANGED = 2;
export const DELETED = 3;

export class Hints {
  private readonly changes = new Map<string, number>();
  private readonly order: string[] = []; // their paths, the newest last; some were sent already
  private timer: number | undefined;

  constructor(
    private readonly root: string,
    private readonly send: (params: object) => void,
  ) {}

  /** Remembers the last change of a file, and sends it with others after a pause. */
  add(path: string, type: number): void {
    this.changes.set(path, type);
    this.order.push(path);
    this.timer ??= window.setTimeout(() => {
      this.flush();
    }, PAUSE_MS);
  }

  /** Sends the newest changes now; older ones follow in groups. */
  flush(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    const changes: { uri: string; type: number }[] = [];
    for (let path = this.order.pop(); path !== undefined; path = changes.length < MOST ? this.order.pop() : undefined) {
      const type = this.changes.get(path);
      if (type !== undefined) {
        this.changes.delete(path);
        changes.push({ uri: uriOf(this.root, path), type });
      }
    }
    if (changes.length > 0) {
      this.send({ changes });
    }
    if (this.changes.size > 0) {
      this.timer = window.setTimeout(() => {
        this.flush();
      }, NEXT_MS);
    }
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }
}

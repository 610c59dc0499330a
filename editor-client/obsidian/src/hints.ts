// Changes of files, told to the server in groups. They are hints: the server also notices changes by itself.

import { uriOf } from "./vault";

const PAUSE_MS = 200;
const MOST = 500; // files of one message; the first one already makes the server compare all files

/** Kinds of changes, as LSP numbers them. */
export const CREATED = 1;
export const CHANGED = 2;
export const DELETED = 3;

export class Hints {
  private readonly changes = new Map<string, number>();
  private timer: number | undefined;

  constructor(
    private readonly root: string,
    private readonly send: (params: object) => void,
  ) {}

  /** Remembers the last change of a file, and sends it with others after a pause; of very many files only the first ones. */
  add(path: string, type: number): void {
    if (this.changes.size < MOST || this.changes.has(path)) {
      this.changes.set(path, type);
    }
    this.timer ??= window.setTimeout(() => {
      this.flush();
    }, PAUSE_MS);
  }

  flush(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    if (this.changes.size > 0) {
      const changes = [...this.changes].map(([path, type]) => ({ uri: uriOf(this.root, path), type }));
      this.changes.clear();
      this.send({ changes });
    }
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }
}

// As much of VS Code as the tests of its callers need.

type Listener = (value: unknown) => void;

export class EventEmitter {
  private readonly listeners: Listener[] = [];
  readonly event = (listener: Listener) => {
    this.listeners.push(listener);
    return nothing;
  };
  fire(value: unknown): void {
    for (const listener of this.listeners) {
      listener(value);
    }
  }
  dispose(): void {
    this.listeners.length = 0;
  }
}

export class TreeItem {
  constructor(readonly label: string) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class DataTransferItem {
  constructor(readonly value: unknown) {}
}

const nothing = { dispose: () => undefined };
const never = () => nothing;

/** The files of the workspace, for tests to set. */
export const files: string[] = [];

export const window = {
  activeTextEditor: undefined,
  createTreeView: () => ({ visible: false, onDidChangeVisibility: never, ...nothing }),
  onDidChangeActiveTextEditor: never,
};

export const workspace = {
  onDidSaveTextDocument: never,
  findFiles: (glob: string) => Promise.resolve(files.filter((file) => glob.startsWith(`**/${file.replace(/^.*\/|\.md$/gu, "")}.`))),
};

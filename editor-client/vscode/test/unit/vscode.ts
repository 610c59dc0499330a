// The part of VS Code's API that the unit tests need.

import { posix } from "node:path";

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

export class Uri {
  readonly scheme = "file";
  private constructor(
    readonly path: string,
    readonly fragment = "",
  ) {}
  static parse(uri: string): Uri {
    return new Uri(decodeURIComponent(new URL(uri).pathname));
  }
  get fsPath(): string {
    return this.path;
  }
  static file(path: string): Uri {
    return new Uri(path);
  }
  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri(posix.join(uri.path, ...parts));
  }
  with({ fragment }: { fragment: string }): Uri {
    return new Uri(this.path, fragment);
  }
  toString(): string {
    return `file://${encodeURI(this.path)}${this.fragment === "" ? "" : `#${this.fragment}`}`;
  }
}

export class RelativePattern {
  constructor(
    readonly base: Uri,
    readonly pattern: string,
  ) {}
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export interface Tab {
  readonly input: TabInputText;
  readonly label: string;
  readonly isPreview: boolean;
  readonly isDirty: boolean;
  readonly group: { readonly viewColumn: number };
}

const nothing = { dispose: () => undefined };
const never = () => nothing;

/** The state of the fake editor: files with their texts, the open folder, and settings. Tests change it. */
export const world = { files: new Map<string, string>(), links: new Set<string>(), open: "/", settings: new Map<string, unknown>() };

export const window = {
  activeTextEditor: undefined as { document: { uri: Uri }; selection?: unknown } | undefined,
  createTreeView: () => ({ visible: false, onDidChangeVisibility: never, ...nothing }),
  onDidChangeActiveTextEditor: never,
  showTextDocument: (document: { uri: Uri }, how: object) => {
    window.activeTextEditor = { document, ...how };
    return Promise.resolve(window.activeTextEditor);
  },
  tabGroups: {
    all: [{ tabs: [] as Tab[] }],
    close: (tabs: readonly Tab[]) => {
      const [group] = window.tabGroups.all;
      group?.tabs.splice(0, Infinity, ...group.tabs.filter((tab) => !tabs.includes(tab)));
      return Promise.resolve(true);
    },
  },
};

export enum FileType {
  Unknown = 0,
  File = 1,
  Directory = 2,
  SymbolicLink = 64,
}

export const workspace = {
  isTrusted: true,
  onDidChangeWorkspaceFolders: never,
  onDidChangeConfiguration: never,
  onDidSaveTextDocument: never,
  findFiles: ({ base, pattern }: RelativePattern) =>
    Promise.resolve([...world.files.keys()].filter((file) => file.startsWith(`${base.path}/`) && pattern.startsWith(`**/${posix.parse(file).name}.`))),
  getWorkspaceFolder: (uri: Uri) => (`${uri.path}/`.startsWith(`${world.open}/`) ? { uri: Uri.file(world.open) } : undefined),
  getConfiguration: () => ({ get: (name: string) => world.settings.get(name) }),
  fs: {
    stat: ({ path }: Uri) => {
      const text = world.files.get(path);
      const type = world.links.has(path) ? FileType.File | FileType.SymbolicLink : FileType.File;
      return text === undefined ? Promise.reject(new Error("there is no such file")) : Promise.resolve({ type, size: text.length });
    },
    readFile: ({ path }: Uri) => {
      const text = world.files.get(path);
      return text === undefined ? Promise.reject(new Error("there is no such file")) : Promise.resolve(new TextEncoder().encode(text));
    },
  },
};

export const extensions = { getExtension: () => undefined, all: [] as { packageJSON: unknown }[] };

export const commands = {
  executed: [] as unknown[][],
  executeCommand: (...args: unknown[]) => {
    commands.executed.push(args);
    return Promise.resolve();
  },
};

export const env = {
  remoteName: undefined as string | undefined,
  uiKind: 1,
  opened: [] as unknown[],
  openExternal: (uri: unknown) => {
    env.opened.push(uri);
    return Promise.resolve(true);
  },
};

export const UIKind = { Desktop: 1, Web: 2 };
export const ViewColumn = { Active: -1, Beside: -2 };

export class Range {
  constructor(
    readonly startLine: number,
    readonly startCharacter: number,
    readonly endLine: number,
    readonly endCharacter: number,
  ) {}
}

export class McpStdioServerDefinition {
  constructor(
    readonly label: string,
    readonly command: string,
    readonly args: readonly string[],
    readonly env: Readonly<Record<string, string>>,
  ) {}
}

interface McpProvider {
  provideMcpServerDefinitions(): Promise<McpStdioServerDefinition[]>;
}

export const lm = {
  providers: [] as McpProvider[],
  registerMcpServerDefinitionProvider: (_id: string, provider: McpProvider) => {
    lm.providers.push(provider);
    return nothing;
  },
};

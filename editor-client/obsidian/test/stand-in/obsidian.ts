// The part of Obsidian's API that the plugin uses, with the app's own structure of elements and names of classes.
//
// It is our own, and not a package of mocks: it also runs in a browser, where elements must be nested and named as the
// app's are for the styles to apply, and only what the plugin calls is here. The tests run in Node's own runner, as those
// of the VS Code client do, so there is one runner and no further dependency.

type Callback = (...args: never[]) => unknown;

export class Events {
  private readonly listeners = new Map<string, Set<Callback>>();

  on(name: string, callback: Callback) {
    const found = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, found.add(callback));
    return { off: () => found.delete(callback) };
  }

  trigger(name: string, ...args: unknown[]): void {
    for (const listener of this.listeners.get(name) ?? []) {
      listener(...(args as never[]));
    }
  }

  /** How many listeners there are; none may be left after an unload. */
  get nListeners(): number {
    return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

export class Component {
  private readonly cleaning: (() => unknown)[] = [];

  register(clean: () => unknown): void {
    this.cleaning.push(clean);
  }

  registerEvent(event: { off: () => unknown }): void {
    this.register(event.off);
  }

  registerDomEvent(target: EventTarget, name: string, listener: (event: Event) => void): void {
    target.addEventListener(name, listener);
    this.register(() => {
      target.removeEventListener(name, listener);
    });
  }

  unload(): void {
    for (const clean of this.cleaning.splice(0).reverse()) {
      clean();
    }
  }
}

export class TFile {
  constructor(readonly path: string) {}
  get name(): string {
    return this.path.slice(this.path.lastIndexOf("/") + 1);
  }
  get extension(): string {
    return this.name.slice(this.name.lastIndexOf(".") + 1);
  }
  get basename(): string {
    return this.name.slice(0, this.name.lastIndexOf("."));
  }
}

export class FileSystemAdapter {
  constructor(private readonly base: string) {}
  getBasePath(): string {
    return this.base;
  }
}

export class Vault extends Events {
  readonly files = new Map<string, { file: TFile; text: string }>();
  readonly configDir = ".obsidian";

  constructor(readonly adapter: FileSystemAdapter) {
    super();
  }

  getFileByPath(path: string): TFile | null {
    return this.files.get(path)?.file ?? null;
  }

  create(path: string, text: string): Promise<TFile> {
    const file = new TFile(path);
    this.files.set(path, { file, text });
    this.trigger("create", file);
    return Promise.resolve(file);
  }
}

export class Editor {
  selection: unknown;
  scrolled: unknown;
  constructor(public text: string) {}
  getSelection(): string {
    return "";
  }
  setSelection(from: unknown, to: unknown): void {
    this.selection = { from, to };
  }
  scrollIntoView(range: unknown): void {
    this.scrolled = range;
  }
  replaceSelection(text: string): void {
    this.text += text;
  }
  focus(): void {
    // There is nothing to see.
  }
}

export class View extends Component {
  readonly containerEl = createDiv({ cls: "workspace-leaf-content" });
  readonly contentEl: HTMLElement;
  constructor(readonly leaf: WorkspaceLeaf) {
    super();
    this.containerEl.createDiv({ cls: "view-header" });
    this.contentEl = this.containerEl.createDiv({ cls: "view-content" });
  }
  get app(): App {
    return this.leaf.app;
  }
  onOpen(): Promise<void> {
    return Promise.resolve();
  }
  onClose(): Promise<void> {
    return Promise.resolve();
  }
}

export class ItemView extends View {}

export class MarkdownView extends View {
  editor = new Editor("");
  hoverPopover: unknown = null;
  constructor(
    leaf: WorkspaceLeaf,
    public file: TFile | null,
  ) {
    super(leaf);
  }
  getMode(): string {
    return "source";
  }
  getViewData(): string {
    return this.editor.text;
  }
}

export class WorkspaceLeaf {
  view: View | undefined;
  type = "empty";
  how: unknown;

  constructor(
    readonly app: App,
    private readonly parent: HTMLElement,
  ) {}

  openFile(file: TFile, how: unknown): Promise<void> {
    const view = new MarkdownView(this, file);
    view.editor.text = this.app.vault.files.get(file.path)?.text ?? "";
    this.how = how;
    this.view = view;
    this.type = "markdown";
    this.app.workspace.active = view;
    this.app.workspace.trigger("file-open", file);
    return Promise.resolve();
  }

  async setViewState({ type }: { type: string }): Promise<void> {
    const make = this.app.views.get(type);
    if (make !== undefined && this.type !== type) {
      const view = make(this);
      this.view = view;
      this.type = type;
      this.parent.append(view.containerEl);
      view.containerEl.setAttribute("data-type", type);
      await view.onOpen();
    }
  }

  async detach(): Promise<void> {
    await this.view?.onClose();
    this.view?.unload();
    this.view?.containerEl.remove();
    this.view = undefined;
    this.type = "empty";
  }
}

export class Workspace extends Events {
  readonly containerEl: HTMLElement;
  readonly leaves: WorkspaceLeaf[] = [];
  /** What `getLeaf` was asked for. */
  readonly panes: unknown[] = [];
  active: MarkdownView | undefined;

  constructor(private readonly app: App) {
    super();
    this.containerEl = app.page.createDiv({ cls: "workspace" });
  }

  get activeEditor() {
    return this.active;
  }

  getActiveFile(): TFile | null {
    return this.active?.file ?? null;
  }

  getMostRecentLeaf(): WorkspaceLeaf | null {
    return this.active?.leaf ?? null;
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.leaves.filter((leaf) => leaf.type === type);
  }

  getLeaf(pane: unknown): WorkspaceLeaf {
    this.panes.push(pane);
    return (pane === false ? this.active?.leaf : undefined) ?? this.add();
  }

  getRightLeaf(): WorkspaceLeaf {
    return this.add();
  }

  revealLeaf(): Promise<void> {
    return Promise.resolve();
  }

  onLayoutReady(callback: () => void): void {
    callback();
  }

  private add(): WorkspaceLeaf {
    const leaf = new WorkspaceLeaf(this.app, this.containerEl);
    this.leaves.push(leaf);
    return leaf;
  }
}

export class App {
  readonly workspace: Workspace;
  readonly vault: Vault;
  readonly views = new Map<string, (leaf: WorkspaceLeaf) => View>();
  readonly stored = new Map<string, unknown>();
  readonly links = new Map<string, { link: string; displayText?: string }[]>();
  readonly fileManager = {
    generateMarkdownLink: (file: TFile) => `[[${file.basename}]]`,
    getNewFileParent: () => ({ path: this.newNotes }),
  };
  readonly metadataCache = {
    getFileCache: (file: TFile) => ({ links: this.links.get(file.path) ?? [] }),
    getFirstLinkpathDest: (path: string) => this.vault.getFileByPath(`${path}.md`),
  };
  /** The folder for new notes in the app's settings. */
  newNotes = "/";

  constructor(
    base: string,
    readonly page: HTMLElement,
  ) {
    this.vault = new Vault(new FileSystemAdapter(base));
    this.workspace = new Workspace(this);
  }

  loadLocalStorage(key: string): unknown {
    return this.stored.get(key) ?? null;
  }

  saveLocalStorage(key: string, value: unknown): void {
    this.stored.set(key, value);
  }
}

export interface Command {
  readonly id: string;
  readonly name: string;
  readonly hotkeys?: unknown;
  readonly callback?: () => void;
  readonly checkCallback?: (isAsking: boolean) => boolean;
  readonly editorCallback?: (editor: Editor) => void;
}

export class Plugin extends Component {
  readonly commands: Command[] = [];
  readonly ribbon: (() => void)[] = [];
  readonly protocols = new Map<string, (params: Record<string, string>) => void>();
  readonly statusBar: HTMLElement;
  tab: PluginSettingTab | undefined;
  data: unknown = null;

  constructor(
    readonly app: App,
    readonly manifest: { version: string },
  ) {
    super();
    this.statusBar = app.page.createDiv({ cls: "status-bar" });
  }
  addStatusBarItem(): HTMLElement {
    return this.statusBar.createDiv({ cls: "status-bar-item" });
  }
  addCommand(command: Command): void {
    this.commands.push(command);
  }
  addRibbonIcon(_icon: string, _title: string, callback: () => void): void {
    this.ribbon.push(callback);
  }
  addSettingTab(tab: PluginSettingTab): void {
    this.tab = tab;
  }
  registerView(type: string, make: (leaf: WorkspaceLeaf) => View): void {
    this.app.views.set(type, make);
  }
  registerHoverLinkSource(): void {
    // The app's page preview is not here.
  }
  registerObsidianProtocolHandler(action: string, handler: (params: Record<string, string>) => void): void {
    this.protocols.set(action, handler);
  }
  loadData(): Promise<unknown> {
    return Promise.resolve(this.data);
  }
  saveData(data: unknown): Promise<void> {
    this.data = data;
    return Promise.resolve();
  }
}

export class Modal {
  static readonly open: Modal[] = [];
  readonly containerEl = createDiv({ cls: "modal-container" });
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;

  constructor(readonly app: App) {
    this.containerEl.createDiv({ cls: "modal-bg" });
    this.modalEl = this.containerEl.createDiv({ cls: "modal" });
    this.modalEl.createDiv({ cls: "modal-close-button" });
    this.titleEl = this.modalEl.createDiv({ cls: "modal-header" }).createDiv({ cls: "modal-title" });
    this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
  }
  open(): void {
    this.app.page.append(this.containerEl);
    Modal.open.push(this);
    this.onOpen();
  }
  close(): void {
    this.onClose();
    this.containerEl.remove();
    Modal.open.splice(0, Infinity, ...Modal.open.filter((each) => each !== this));
  }
  setTitle(title: string): this {
    this.titleEl.textContent = title;
    return this;
  }
  onOpen(): void {
    // For the plugin's modals.
  }
  onClose(): void {
    // For the plugin's modals.
  }
}

class Control<E extends HTMLElement> {
  changed: ((value: never) => unknown) | undefined;
  constructor(readonly inputEl: E) {}
  onChange(changed: (value: never) => unknown): this {
    this.changed = changed;
    return this;
  }
  setPlaceholder(text: string): this {
    this.inputEl.setAttribute("placeholder", text);
    return this;
  }
}

class Text extends Control<HTMLInputElement | HTMLTextAreaElement> {
  setValue(value: string): this {
    this.inputEl.value = value;
    this.inputEl.addEventListener("input", () => this.changed?.(this.inputEl.value as never));
    return this;
  }
}

class Dropdown extends Control<HTMLSelectElement> {
  addOption(value: string, text: string): this {
    this.inputEl.createEl("option", { text, attr: { value } });
    return this;
  }
  addOptions(options: Record<string, string>): this {
    for (const [value, text] of Object.entries(options)) {
      this.addOption(value, text);
    }
    return this;
  }
  setValue(value: string): this {
    this.inputEl.value = value;
    this.inputEl.addEventListener("change", () => this.changed?.(this.inputEl.value as never));
    return this;
  }
}

class Toggle extends Control<HTMLElement> {
  setValue(value: boolean): this {
    this.inputEl.classList.toggle("is-enabled", value);
    this.inputEl.addEventListener("click", () => {
      this.changed?.(this.inputEl.classList.toggle("is-enabled") as never);
    });
    return this;
  }
}

class Button {
  constructor(readonly buttonEl: HTMLButtonElement) {}
  setButtonText(text: string): this {
    this.buttonEl.textContent = text;
    return this;
  }
  setClass(name: string): this {
    this.buttonEl.classList.add(name);
    return this;
  }
  onClick(callback: () => void): this {
    this.buttonEl.addEventListener("click", callback);
    return this;
  }
}

export class Setting {
  readonly settingEl: HTMLElement;
  private readonly nameEl: HTMLElement;
  private readonly descEl: HTMLElement;
  private readonly controlEl: HTMLElement;

  constructor(parent: HTMLElement) {
    this.settingEl = parent.createDiv({ cls: "setting-item" });
    const info = this.settingEl.createDiv({ cls: "setting-item-info" });
    this.nameEl = info.createDiv({ cls: "setting-item-name" });
    this.descEl = info.createDiv({ cls: "setting-item-description" });
    this.controlEl = this.settingEl.createDiv({ cls: "setting-item-control" });
  }
  setName(name: string): this {
    this.nameEl.textContent = name;
    return this;
  }
  setDesc(text: string | DocumentFragment): this {
    this.descEl.replaceChildren(text);
    return this;
  }
  setHeading(): this {
    this.settingEl.classList.add("setting-item-heading");
    return this;
  }
  addText(fill: (text: Text) => unknown): this {
    fill(new Text(this.controlEl.createEl("input", { attr: { type: "text" } })));
    return this;
  }
  addTextArea(fill: (text: Text) => unknown): this {
    fill(new Text(this.controlEl.createEl("textarea")));
    return this;
  }
  addDropdown(fill: (dropdown: Dropdown) => unknown): this {
    fill(new Dropdown(this.controlEl.createEl("select", { cls: "dropdown" })));
    return this;
  }
  addToggle(fill: (toggle: Toggle) => unknown): this {
    fill(new Toggle(this.controlEl.createDiv({ cls: "checkbox-container" })));
    return this;
  }
  addButton(fill: (button: Button) => unknown): this {
    fill(new Button(this.controlEl.createEl("button")));
    return this;
  }
}

export class PluginSettingTab {
  readonly containerEl = createDiv({ cls: "vertical-tab-content" });
  constructor(
    readonly app: App,
    readonly plugin: Plugin,
  ) {}
}

export class Notice {
  /** The texts of all notices so far. */
  static readonly texts: string[] = [];
  constructor(text: string) {
    Notice.texts.push(text);
  }
  setMessage(text: string): this {
    Notice.texts.push(text);
    return this;
  }
  hide(): void {
    // It was only remembered.
  }
}

export class HoverPopover extends Component {
  readonly hoverEl = createDiv({ cls: "popover hover-popover" });
  constructor(parent: { hoverPopover: unknown }, target: HTMLElement) {
    super();
    if (parent.hoverPopover instanceof HoverPopover) {
      parent.hoverPopover.unload(); // a view has one
    }
    parent.hoverPopover = this;
    target.ownerDocument.body.append(this.hoverEl);
    this.register(() => {
      this.hoverEl.remove();
    });
  }
}

export const Platform = { isDesktop: true, isMacOS: false };

export const Keymap = {
  isModifier: (event: KeyboardEvent, name: string) => name === "Mod" && event.ctrlKey,
  isModEvent: (event: MouseEvent | KeyboardEvent): boolean | string =>
    event.ctrlKey ? (event.altKey ? (event.shiftKey ? "window" : "split") : "tab") : false,
};

const ICON = "M4 4h16v16H4z";

export function setIcon(parent: HTMLElement, name: string): void {
  const svg = parent.ownerDocument.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", `svg-icon lucide-${name}`);
  svg.setAttribute("viewBox", "0 0 24 24");
  const path = parent.ownerDocument.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", name === "link" ? "M10 13a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7M14 11a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7" : ICON);
  path.setAttribute("fill", "none");
  path.setAttribute("stroke", "currentColor");
  path.setAttribute("stroke-width", "2");
  svg.append(path);
  parent.append(svg);
}

export function debounce(run: () => void, waitMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}

export function normalizePath(path: string): string {
  return path.replace(/\/+/gu, "/").replace(/^\/|\/$/gu, "").normalize();
}

export function getLinkpath(link: string): string {
  return link.replace(/#.*$/u, "");
}

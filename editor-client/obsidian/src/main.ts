// The plugin: its commands, its views, and the one server they share.

import { FileSystemAdapter, Notice, Plugin, TFile, type WorkspaceLeaf } from "obsidian";
import { folderOf } from "../../shared/text";
import { COMMAND_CLEAR, COMMAND_REBUILD, COMMAND_UPDATE, type SearchAnswer } from "../../shared/wire";
import { Buffers } from "./buffers";
import { guarded } from "./guarded";
import { CHANGED, CREATED, DELETED, Hints } from "./hints";
import { hoverLink, type Hover } from "./hover";
import { closeModals } from "./own_modal";
import { SearchModal, type Manner } from "./search/modal";
import { HOVER_SOURCE } from "./search/pane";
import { Server } from "./server/client";
import type { Running } from "./server/connection";
import { machine } from "./server/machine";
import { Store } from "./settings/store";
import { SettingsTab } from "./settings/tab";
import { ConfirmModal, Status, StatusModal } from "./status";
import { openViews } from "./vault";
import { RELATED_VIEW, RelatedView } from "./views/related_view";
import { SEARCH_VIEW, SearchView } from "./views/search_view";
import { WhyModal } from "./why";

const MACHINE_KEY = "vaultseek"; // of the app's storage for this vault on this machine

export default class VaultseekPlugin extends Plugin {
  server!: Server;
  store!: Store;
  /** The vault's folder. */
  root = "";
  /** Where the server is looked for, by the path in the settings. */
  machine = machine;
  private status!: Status;
  private running: Running | undefined;
  private lastQuery = "";
  private popover: Hover | undefined;
  private modal: SearchModal | undefined;

  override async onload(): Promise<void> {
    const { adapter } = this.app.vault;
    if (!(adapter instanceof FileSystemAdapter)) {
      new Notice("Vaultseek needs a vault in a folder of this machine.");
      return;
    }
    this.root = adapter.getBasePath();
    this.store = new Store({
      loadVault: () => this.loadData(),
      saveVault: (values) => this.saveData(values),
      loadMachine: () => this.app.loadLocalStorage(MACHINE_KEY) as unknown,
      saveMachine: (values) => {
        this.app.saveLocalStorage(MACHINE_KEY, values);
      },
    });
    await this.store.load();
    this.server = new Server({
      root: this.root,
      version: this.manifest.version,
      machine: () => this.machine(this.store.serverPath),
      settings: () => this.store.forServer(),
      tell: (message) => {
        new Notice(`Vaultseek: ${message}`);
      },
    });
    this.status = new Status(this.app, this.server, this.addStatusBarItem());
    this.register(() => {
      closeModals();
      this.status.dispose();
      void this.server.stop();
    });
    this.registerEvent(this.app.workspace.on("quit", (tasks) => {
      tasks.addPromise(this.server.stop());
    }));
    this.registerView(SEARCH_VIEW, (leaf) => new SearchView(leaf, this));
    this.registerView(RELATED_VIEW, (leaf) => new RelatedView(leaf, this));
    this.registerHoverLinkSource(HOVER_SOURCE, { display: "Vaultseek", defaultMod: true });
    this.addSettingTab(new SettingsTab(this));
    this.addRibbonIcon("text-search", "Search by words and meaning", () => {
      this.openSearch();
    });
    this.registerObsidianProtocolHandler("vaultseek", ({ query }) => {
      this.openSearch({ query: query ?? "" });
    });
    this.addCommands();
    this.followEditors();
    this.followLinks();
  }

  override async onExternalSettingsChange(): Promise<void> {
    await this.store.load();
    this.server.settingsChanged();
  }

  openSearch(manner: Manner = {}): void {
    this.modal?.close();
    this.modal = new SearchModal(this, manner);
    this.modal.open();
  }

  /** Called with each whole answer. */
  answered(answer: SearchAnswer, query: string): void {
    this.lastQuery = query;
    this.status.onAnswer(answer);
  }

  private addCommands(): void {
    const { app, status } = this;
    this.addCommand({ id: "search", name: "Search vault", callback: () => {
      this.openSearch();
    } });
    this.addCommand({ id: "search-by-meaning", name: "Search vault by meaning", callback: () => {
      this.openSearch({ options: { mode: "vector" } });
    } });
    this.addCommand({ id: "search-in-folder", name: "Search in this folder", checkCallback: (isAsking) => {
      const folder = folderOf(app.workspace.getActiveFile()?.path ?? "");
      if (folder !== "" && !isAsking) {
        this.openSearch({ options: { folder } });
      }
      return folder !== "";
    } });
    this.addCommand({ id: "insert-link", name: "Insert link to search result", editorCallback: (editor) => {
      this.openSearch({ isForLinks: true, query: editor.getSelection() });
    } });
    this.addCommand({ id: "show-search", name: "Show search", callback: () => {
      guarded(this.reveal(SEARCH_VIEW));
    } });
    this.addCommand({ id: "show-related", name: "Show related notes", callback: () => {
      guarded(this.reveal(RELATED_VIEW));
    } });
    this.addCommand({ id: "why", name: "Why (not) this note", checkCallback: (isAsking) => {
      const file = app.workspace.getActiveFile();
      if (file !== null && !isAsking) {
        new WhyModal(this, file, this.lastQuery).open();
      }
      return file !== null;
    } });
    this.addCommand({ id: "update-index", name: "Update index", callback: () => {
      guarded(status.run(COMMAND_UPDATE, "Updating the index"));
    } });
    this.addCommand({ id: "rebuild-index", name: "Rebuild index", callback: () => {
      guarded(status.run(COMMAND_REBUILD, "Rebuilding the index"));
    } });
    this.addCommand({ id: "clear-index", name: "Clear index", callback: () => {
      const question = "Delete all vectors of this vault? They are computed again when they are needed.";
      new ConfirmModal(app, question, "Delete", () => {
        guarded(status.run(COMMAND_CLEAR, "Clearing the index"));
      }).open();
    } });
    this.addCommand({ id: "stop-indexing", name: "Stop indexing", callback: () => {
      status.stop();
    } });
    this.addCommand({ id: "show-status", name: "Show status and log", callback: () => {
      new StatusModal(app, this.server).open();
    } });
    this.addCommand({ id: "restart", name: "Restart server", callback: () => {
      guarded(this.server.restart());
    } });
  }

  /** Sends unsaved text before each request, and changes of files after a pause. */
  private followEditors(): void {
    const { vault, workspace } = this.app;
    const buffers = new Buffers({ root: this.root, views: () => openViews(this.app), connection: () => (this.server.isRunning ? this.running?.connection : undefined) });
    const hints = new Hints(this.root, (params) => {
      this.server.notify("workspace/didChangeWatchedFiles", params);
    });
    this.server.onRequest.add((running) => {
      this.running = running;
      buffers.flush(running.connection);
      hints.flush();
    });
    this.register(() => {
      buffers.dispose();
      hints.dispose();
    });
    this.registerEvent(workspace.on("editor-change", (_editor, { file }) => {
      if (file?.extension === "md") {
        buffers.touched(file.path);
      }
    }));
    workspace.onLayoutReady(() => {
      this.registerEvent(vault.on("create", ({ path }) => {
        hints.add(path, CREATED);
      }));
      this.registerEvent(vault.on("modify", (file) => {
        hints.add(file.path, CHANGED);
        if (file instanceof TFile) {
          buffers.saved(file.path);
        }
      }));
      this.registerEvent(vault.on("delete", ({ path }) => {
        hints.add(path, DELETED);
      }));
      this.registerEvent(vault.on("rename", ({ path }, from) => {
        hints.add(from, DELETED);
        hints.add(path, CREATED);
        buffers.renamed(from, path);
      }));
    });
  }

  /** Listens for Alt and the mouse over links, also in windows that are opened later. */
  private followLinks(): void {
    const listen = (page: Document): void => {
      this.registerDomEvent(page, "mouseover", (event) => {
        this.popover = hoverLink(this, event, this.popover) ?? this.popover;
      });
    };
    listen(this.app.workspace.containerEl.ownerDocument);
    this.registerEvent(this.app.workspace.on("window-open", (_opened, opened) => {
      listen(opened.document);
    }));
    this.register(() => {
      this.popover?.shown.unload();
    });
  }

  private async reveal(type: string): Promise<void> {
    const { workspace } = this.app;
    const leaf: WorkspaceLeaf | null = workspace.getLeavesOfType(type)[0] ?? workspace.getRightLeaf(false);
    if (leaf === null) {
      return;
    }
    await leaf.setViewState({ type, active: true });
    await workspace.revealLeaf(leaf);
    if (leaf.view instanceof SearchView) {
      leaf.view.focus();
    }
  }
}

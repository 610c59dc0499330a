// Related notes in the side bar; they follow the note that is open.

import { ItemView, TFile, type HoverPopover, type WorkspaceLeaf } from "obsidian";
import { Latest } from "../../../shared/latest";
import { NoServer } from "../../../shared/keeper";
import { METHOD_RELATED, type RelatedAnswer } from "../../../shared/wire";
import { showCard } from "../card";
import { guarded } from "../guarded";
import type VaultseekPlugin from "../main";
import { relatedParams, showFailure, showRelated } from "./related_list";

export const RELATED_VIEW = "vaultseek-related";
const PAUSE_MS = 250;
const LIMIT = 20;

export class RelatedView extends ItemView {
  override navigation = false;
  hoverPopover: HoverPopover | null = null;
  private heading: HTMLElement | undefined;
  private list: HTMLElement | undefined;
  private asked = ""; // the note of the last request
  private readonly latest: Latest<string, RelatedAnswer>;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly plugin: VaultseekPlugin,
  ) {
    super(leaf);
    const { server, root, store } = plugin;
    this.latest = new Latest(
      (path, signal) => server.request<RelatedAnswer>(METHOD_RELATED, relatedParams(root, path, store.linked, LIMIT), { signal }),
      (answer) => {
        if (this.list !== undefined) {
          showRelated(this.list, this.app, answer, this);
        }
      },
      (error) => {
        if (this.list !== undefined && !(error instanceof NoServer && server.problem !== undefined)) {
          showFailure(this.list, error);
        }
      },
      PAUSE_MS,
    );
  }

  getViewType(): string {
    return RELATED_VIEW;
  }

  getDisplayText(): string {
    return "Related notes";
  }

  override getIcon(): string {
    return "waypoints";
  }

  protected override onOpen(): Promise<void> {
    const { app, plugin } = this;
    this.contentEl.addClass("vaultseek-view");
    const card = this.contentEl.createDiv();
    this.heading = this.contentEl.createDiv({ cls: "vaultseek-count", text: "Open a note to see its related notes." });
    this.list = this.contentEl.createDiv({ cls: "vaultseek-results", attr: { "aria-label": "Related notes" } });
    const onChange = (): void => {
      const { problem } = plugin.server;
      showCard(card, problem, () => {
        guarded(plugin.server.restart());
      });
      if (problem === undefined || problem.kind === "version") {
        this.asked = "";
        this.follow();
      }
    };
    plugin.server.onChange.add(onChange);
    this.register(() => {
      plugin.server.onChange.delete(onChange);
    });
    this.registerEvent(app.workspace.on("active-leaf-change", () => {
      this.follow();
    }));
    this.registerEvent(app.workspace.on("file-open", () => {
      this.follow();
    }));
    this.registerEvent(app.vault.on("modify", (file) => {
      if (file instanceof TFile && file.path === app.workspace.getActiveFile()?.path) {
        this.asked = "";
        this.follow();
      }
    }));
    onChange();
    return Promise.resolve();
  }

  protected override onClose(): Promise<void> {
    this.latest.cancel();
    this.contentEl.empty();
    return Promise.resolve();
  }

  /** Also called when the view is shown. */
  override onResize(): void {
    this.follow();
  }

  /** Requests the notes related to the open one, if it is another than before and the view can be seen. */
  follow(): void {
    const file = this.app.workspace.getActiveFile();
    if (file?.extension === "md" && file.path !== this.asked && this.containerEl.isShown()) {
      this.asked = file.path;
      this.heading?.setText(file.basename);
      this.latest.request(file.path);
    }
  }
}

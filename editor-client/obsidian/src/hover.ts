// Alt and the mouse over a link: notes related to its target, in Obsidian's own popover.
//
// Obsidian's page preview has the plain hover, or the one with Mod. The popover belongs to the view of the note, as that
// of the page preview does, so Obsidian places and closes it.

import { getLinkpath, HoverPopover, MarkdownView, type App, type TFile } from "obsidian";
import { METHOD_RELATED, type RelatedAnswer } from "../../shared/wire";
import type { Server } from "./server/client";
import { relatedParams, showFailure, showRelated } from "./views/related_list";

const WAIT_MS = 300;
const LIMIT = 6;
const LINKS = "a.internal-link, .cm-hmd-internal-link, .cm-link";

/** What the hover needs of the plugin. */
export interface Owner {
  readonly app: App;
  readonly server: Server;
  readonly root: string;
}

/** A popover and the link that it belongs to. */
export interface Hover {
  readonly link: HTMLElement;
  readonly shown: HoverPopover;
}

/** Shows the popover if the mouse is over a link to a note and Alt is pressed, unless this link has one (`last`). */
export function hoverLink(owner: Owner, event: MouseEvent, last?: Hover): Hover | undefined {
  const target = event.target;
  const link = event.altKey && target instanceof HTMLElement ? target.closest<HTMLElement>(LINKS) : null;
  if (link !== null && link === last?.link && (last.shown.hoverEl.isConnected || hasMovedInside(link, event))) {
    return last;
  }
  const view = link === null ? undefined : viewOf(owner.app, link);
  const file = link === null || view === undefined ? undefined : targetOf(owner.app, link, view);
  return link === null || view === undefined || file === undefined ? undefined : popover(owner, view, link, file);
}

/** Whether the mouse came from another part of the link: each part is an event. */
function hasMovedInside(link: HTMLElement, { relatedTarget }: MouseEvent): boolean {
  return relatedTarget instanceof HTMLElement && link.contains(relatedTarget);
}

function viewOf({ workspace }: App, link: HTMLElement): MarkdownView | undefined {
  const views = workspace.getLeavesOfType("markdown").map((leaf) => leaf.view);
  return views.find((view): view is MarkdownView => view instanceof MarkdownView && view.containerEl.contains(link));
}

/** The note that a link leads to. In an editor a link is only text, so it is looked up among the links of the note. */
function targetOf({ metadataCache }: App, link: HTMLElement, view: MarkdownView): TFile | undefined {
  const source = view.file;
  if (source === null) {
    return undefined;
  }
  const text = link.textContent;
  const written = link.getAttribute("data-href") ?? linkNamed(metadataCache.getFileCache(source)?.links ?? [], text);
  return (written === undefined ? null : metadataCache.getFirstLinkpathDest(getLinkpath(written), source.path)) ?? undefined;
}

/** The target of the link that is shown as `text`. */
export function linkNamed(links: readonly { readonly link: string; readonly displayText?: string }[], text: string): string | undefined {
  return (links.find(({ displayText }) => displayText === text) ?? links.find(({ link }) => link === text))?.link;
}

function popover({ app, server, root }: Owner, view: MarkdownView, link: HTMLElement, file: TFile): Hover {
  const shown = new HoverPopover(view, link, WAIT_MS);
  const box = shown.hoverEl.createDiv({ cls: "vaultseek-hover" });
  box.createDiv({ cls: "vaultseek-count", text: `Related to ${file.basename}` });
  const list = box.createDiv({ cls: "vaultseek-results" });
  const abort = new AbortController();
  shown.register(() => {
    abort.abort();
  });
  server.request<RelatedAnswer>(METHOD_RELATED, relatedParams(root, file.path, "last", LIMIT), { signal: abort.signal }).then((answer) => {
    showRelated(list, app, answer, view);
  }, (error: unknown) => {
    if (!abort.signal.aborted) {
      showFailure(list, error);
    }
  });
  return { link, shown };
}

// A quick pick whose rows are the server's results in the server's order, updated as they arrive.

import * as vscode from "vscode";
import { NoServer } from "../../shared/keeper";
import { Latest } from "../../shared/latest";
import { isWeak, nWeakInWords, weakLast } from "../../shared/rows";
import { fileName, folderOf, isNote, messageOf, oneLine } from "../../shared/text";
import { fitsTyped, strengthOf } from "../../shared/trail";
import { METHOD_SEARCH, type SearchAnswer, type SearchOptions, type WireResult } from "../../shared/wire";
import { Before } from "./before";
import type { Opener } from "./open";
import type { Server } from "./server/client";
import { folderForNewNotes, currentFolder, vaultToName } from "./vaults";

interface Row extends vscode.QuickPickItem {
  readonly result?: WireResult;
  readonly create?: string;
}

export interface Purpose {
  readonly title: string;
  readonly options?: SearchOptions;
  /** What Enter does; undefined means to open the note. */
  readonly accept?: (result: WireResult) => Promise<void>;
  readonly onNotices: (answer: SearchAnswer) => void;
  readonly explain: (query: string, result: WireResult) => Promise<void>;
  readonly opener: Pick<Opener, "open" | "openOtherwise">;
}

const PAUSE_MS = 60;
const PREVIEW_MS = 120;
const ROW_COLUMNS = 72; // what fits into a row of the palette, which is at most 600 pixels wide
const SO_FAR = " so far";
const ASIDE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("split-horizontal"), tooltip: "Open to the side" };
const WHY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("question"), tooltip: "Why this note?" };
const OTHERWISE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: "Open its text, or with the system's program" };

/** Says what went wrong, in one sentence. */
async function telling(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    void vscode.window.showErrorMessage(`Vaultseek: ${messageOf(error)}`);
  }
}

/** Opens the palette. */
export function openPalette(server: Server, purpose: Purpose, value = ""): void {
  const pick = vscode.window.createQuickPick<Row>();
  // Without this, VS Code would move rows whose label matches to the top.
  (pick as unknown as { sortByLabel: boolean }).sortByLabel = false;
  pick.title = purpose.title;
  pick.placeholder = "Words, a question, \"a phrase\", tag:x, path:x, -not";
  pick.matchOnDescription = false;
  pick.matchOnDetail = true; // only highlights, since every row is always shown
  const before = new Before();
  let isAccepted = false;
  const previewing = purpose.accept === undefined;
  let preview: NodeJS.Timeout | undefined;
  let previewed: Promise<void> = Promise.resolve(); // a pending preview must not replace the chosen note
  let shown = ""; // the query of the answer on the screen

  const show = (answer: SearchAnswer, query: string, isWhole: boolean): void => {
    // A row that the user moved to stays active through the parts of one answer; otherwise the best note is active.
    const hasMoved = query === shown && pick.activeItems[0] !== pick.items.find(({ result }) => result !== undefined);
    const active = hasMoved ? pick.activeItems[0]?.result?.id : undefined;
    shown = query;
    const rows = rowsOf(answer.results);
    const fits = answer.results.some(fitsTyped);
    pick.items = isWhole && !fits ? [...rows, ...creating(query, rows.length > 0)] : rows;
    const notes = rows.filter(({ result }) => result !== undefined);
    const next = active === undefined ? notes[0] : notes.find((row) => row.result?.id === active);
    if (next !== undefined && pick.activeItems[0] !== next) {
      pick.activeItems = [next];
    }
    pick.busy = !isWhole;
    pick.title = `${purpose.title} · ${String(answer.total)} ${answer.total === 1 ? "note" : "notes"}${isWhole ? "" : SO_FAR}`;
    if (isWhole) {
      purpose.onNotices(answer);
    }
  };
  const latest = new Latest<string, SearchAnswer>(
    (query, signal, onPart) =>
      server.request<SearchAnswer>(METHOD_SEARCH, { query, options: purpose.options ?? {}, ...vaultToName() }, { signal, onPart }),
    show,
    (error) => {
      pick.busy = false;
      pick.items = [{ label: "$(warning) The search failed", detail: messageOf(error), alwaysShow: true }];
      if (error instanceof NoServer) {
        pick.hide();
        vscode.window.setStatusBarMessage(`$(debug-disconnect) ${messageOf(error)}`, 8_000);
      }
    },
    PAUSE_MS,
  );

  pick.onDidChangeValue((query) => {
    if (query.trim() === "") {
      latest.cancel();
      pick.items = [];
      pick.busy = false;
      pick.title = purpose.title;
      return;
    }
    pick.busy = true;
    if (pick.title !== purpose.title && pick.title?.endsWith(SO_FAR) === false) {
      pick.title += SO_FAR; // the rows are not yet the answer to the current query
    }
    latest.request(query);
  });
  pick.onDidChangeActive(([row]) => {
    clearTimeout(preview);
    const result = row?.result;
    if (previewing && result !== undefined) {
      preview = setTimeout(() => {
        previewed = purpose.opener.open(result, { keepsFocus: true, isPreview: true }).catch(() => undefined);
      }, PREVIEW_MS);
    }
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.result === undefined) {
      return;
    }
    isAccepted = true;
    const query = pick.value;
    pick.hide();
    await previewed;
    const { result } = item;
    await telling(async () => {
      switch (button) {
        case ASIDE:
          await purpose.opener.open(result, { isAside: true, isPreview: false });
          break;
        case OTHERWISE:
          await purpose.opener.openOtherwise(result);
          break;
        default:
          await purpose.explain(query, result);
      }
    });
  });
  pick.onDidAccept(async () => {
    const [row] = pick.selectedItems.length > 0 ? pick.selectedItems : pick.activeItems;
    isAccepted = row?.result !== undefined || row?.create !== undefined;
    if (row?.result !== undefined) {
      pick.hide();
      await previewed;
      const { result } = row;
      await telling(() => (purpose.accept ?? ((chosen: WireResult) => purpose.opener.open(chosen, { isPreview: false })))(result));
    } else if (row?.create !== undefined) {
      pick.hide();
      await create(server, row.create);
    }
  });
  pick.onDidHide(() => {
    clearTimeout(preview);
    latest.cancel();
    pick.dispose();
    if (!isAccepted) {
      before.restore(previewed).catch(() => undefined);
    }
  });
  pick.show();
  if (value !== "") {
    pick.value = value;
    pick.busy = true;
    latest.request(value);
  }
}

/** A row for each result, the weak ones below a separator. */
function rowsOf(results: readonly WireResult[]): Row[] {
  const ordered = weakLast(results);
  const nWeak = ordered.filter(isWeak).length;
  const label = nWeak < ordered.length ? nWeakInWords(nWeak) : `Nothing answers this well: ${nWeakInWords(nWeak)}`;
  const separator: Row = { label, kind: vscode.QuickPickItemKind.Separator, alwaysShow: true };
  const rows = ordered.map(rowOf);
  return nWeak === 0 ? rows : [...rows.slice(0, -nWeak), separator, ...rows.slice(-nWeak)];
}

function rowOf(result: WireResult): Row {
  const snippet = result.snippets[0];
  const excerpt = snippet === undefined ? "" : oneLine(snippet.text, snippet.marks, ROW_COLUMNS);
  return {
    label: result.title,
    description: [folderOf(result.id), `${result.strengthLevel ?? ""} ${strengthOf(result)}`.trim(), result.sentence].filter((part) => part !== "").join("  ·  "),
    ...(excerpt === "" ? {} : { detail: excerpt }),
    alwaysShow: true,
    buttons: isNote(result.id) ? [ASIDE, WHY] : [OTHERWISE, ASIDE, WHY],
    result,
  };
}

function creating(query: string, hasRows: boolean): Row[] {
  const name = fileName(query);
  if (name === undefined) {
    return hasRows ? [] : [{ label: "No notes found", alwaysShow: true }];
  }
  const detail = `${hasRows ? "No note contains these words." : "No notes found."} Create a note with this name.`;
  return [{ label: `$(new-file) Create “${name.slice(0, -3)}”`, detail, alwaysShow: true, create: name }];
}

async function create(server: Server, name: string): Promise<void> {
  const root = currentFolder()?.uri;
  if (root === undefined) {
    return;
  }
  const uri = vscode.Uri.joinPath(await folderForNewNotes(server, root), name);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { ignoreIfExists: true });
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(uri);
}

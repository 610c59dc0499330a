// What was open before a palette previewed its rows, so that closing the palette without choosing restores it.

import * as vscode from "vscode";

interface Place {
  readonly editor: vscode.TextEditor | undefined;
  readonly selection: vscode.Selection | undefined;
  readonly tabs: ReadonlySet<string>;
}

// Restoring takes a moment; a palette that is opened meanwhile will restore what was open before the first one.
let goal: Place | undefined;

export class Before {
  private readonly place: Place;

  constructor() {
    const editor = vscode.window.activeTextEditor;
    this.place = goal ?? { editor, selection: editor?.selection, tabs: new Set(tabs().map(keyOf)) };
    goal = undefined;
  }

  /** Shows again what was open, once `previewed` is done, and closes mere previews. Never moves the focus. */
  async restore(previewed: Promise<void>): Promise<void> {
    const { place } = this;
    goal = place;
    await previewed;
    if (goal !== place) {
      return;
    }
    try {
      await show(place);
    } finally {
      if (goal === place) {
        goal = undefined;
      }
    }
  }
}

async function show({ editor, selection, tabs: before }: Place): Promise<void> {
  if (editor !== undefined && vscode.window.activeTextEditor?.document !== editor.document) {
    const how = selection === undefined ? {} : { selection };
    await vscode.window.showTextDocument(editor.document, { ...how, preview: false, preserveFocus: true });
  }
  await vscode.window.tabGroups.close(tabs().filter((tab) => tab.isPreview && !tab.isDirty && !before.has(keyOf(tab))), true);
}

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function keyOf({ input, label, group }: vscode.Tab): string {
  return `${group.viewColumn} ${input instanceof vscode.TabInputText ? input.uri.toString() : label}`;
}

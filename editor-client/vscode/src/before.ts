// What was open before a palette previewed its rows, for whoever leaves it without choosing.

import * as vscode from "vscode";

interface Place {
  readonly editor: vscode.TextEditor | undefined;
  readonly selection: vscode.Selection | undefined;
  readonly tabs: ReadonlySet<string>;
}

// Coming back takes a moment; a palette that is opened meanwhile comes back to where the one before it began.
let goal: Place | undefined;

export class Before {
  private readonly place: Place;

  constructor() {
    const editor = vscode.window.activeTextEditor;
    this.place = goal ?? { editor, selection: editor?.selection, tabs: new Set(tabs().map(keyOf)) };
    goal = undefined;
  }

  /** Shows again what was open once `previewed` is done, and closes what was only previewed. Takes the focus from nobody. */
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

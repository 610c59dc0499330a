// The walkthrough, shown once to users who have walkthroughs enabled.

import * as vscode from "vscode";

const SEEN = "walkthrough.seen";

export async function welcome(state: vscode.Memento): Promise<void> {
  const isWanted = vscode.workspace.getConfiguration("workbench").get<boolean>("welcomePage.walkthroughs.openOnInstall") ?? true;
  if (isWanted && state.get<boolean>(SEEN) !== true) {
    await state.update(SEEN, true);
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", "vaultseek.vaultseek#start", false);
  }
}

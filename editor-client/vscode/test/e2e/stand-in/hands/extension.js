// Prepares and cleans up checks within VS Code: settings, open files, closed editors.
// It reads one request at a time from a file and answers by deleting it; an error is written to another file.

const { existsSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const wish = join(process.env.VAULTSEEK_E2E, "wish.json");
const trouble = join(process.env.VAULTSEEK_E2E, "trouble.txt");

/** Changes settings like the settings editor; null removes one. VS Code's file watcher can miss a change of the file. */
async function change(settings, target, level) {
  for (const [name, value] of Object.entries(settings)) {
    await vscode.workspace.getConfiguration().update(name, value ?? undefined, target);
    const wanted = JSON.stringify(value ?? undefined);
    while (JSON.stringify(vscode.workspace.getConfiguration().inspect(name)?.[level]) !== wanted) {
      await new Promise((done) => setTimeout(done, 20)); // other extensions see the change no later than this one
    }
  }
}

const abilities = {
  async set(settings) {
    await change(settings, vscode.ConfigurationTarget.Global, "globalValue");
  },

  /** Changes the settings in the open folder, as its author could. */
  async setInFolder(settings) {
    await change(settings, vscode.ConfigurationTarget.Workspace, "workspaceValue");
  },

  async open(name) {
    const [uri] = await vscode.workspace.findFiles(`**/${name}`, null, 1);
    await vscode.window.showTextDocument(uri, { preview: false, viewColumn: vscode.ViewColumn.Active });
  },

  /** Closes all editors; unsaved changes are lost. */
  async close() {
    for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllGroups");
  },

  async command(id) {
    await vscode.commands.executeCommand(id);
  },
};

async function look() {
  if (!existsSync(wish)) {
    return;
  }
  const [ability, ...args] = JSON.parse(readFileSync(wish, "utf8"));
  try {
    await abilities[ability](...args);
  } catch (error) {
    writeFileSync(trouble, `${ability}: ${String(error?.stack ?? error)}`);
  }
  rmSync(wish);
}

/** Shows the address that it was asked to show. */
const viewer = {
  openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
  resolveCustomEditor({ uri }, panel) {
    panel.webview.html = `<!DOCTYPE html><body>${uri.path}#${uri.fragment}</body>`;
  },
};

exports.activate = (context) => {
  let isLooking = false;
  const timer = setInterval(() => {
    if (!isLooking) {
      isLooking = true;
      look().catch(() => undefined).finally(() => {
        isLooking = false;
      });
    }
  }, 50);
  context.subscriptions.push({ dispose: () => clearInterval(timer) }, vscode.window.registerCustomEditorProvider("hands.viewer", viewer));
};

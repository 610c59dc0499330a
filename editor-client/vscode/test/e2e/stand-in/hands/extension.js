// Changes settings through VS Code, as its settings editor does: its file watcher may miss a change from outside.

const { existsSync, readFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const wanted = join(process.env.VAULTSEEK_E2E, "wanted.json");

async function look() {
  if (existsSync(wanted)) {
    for (const [name, value] of Object.entries(JSON.parse(readFileSync(wanted, "utf8")))) {
      await vscode.workspace.getConfiguration().update(name, value ?? undefined, vscode.ConfigurationTarget.Global);
    }
    rmSync(wanted, { force: true });
  }
}

exports.activate = (context) => {
  let isLooking = false;
  const timer = setInterval(() => {
    if (!isLooking) {
      isLooking = true;
      look().catch(() => undefined).finally(() => {
        isLooking = false;
      });
    }
  }, 100);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};

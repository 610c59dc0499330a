// Vaults with all kinds of names: spaces, `$`, umlauts, emoji, Chinese and Japanese.

import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The handbook with additional notes, and with settings that a malicious author could have added. */
export function makeVault(parent, handbook, strangers) {
  const vault = join(parent, "Mein Archiv $x 😀 知識");
  cpSync(handbook, vault, { recursive: true });
  write(vault, {
    ".obsidian/app.json": JSON.stringify({ newFileLocation: "folder", newFileFolderPath: "Inbox" }),
    ".vscode/settings.json": JSON.stringify(strangers.settings),
    "Ünï cødé/dollar $x$ & 100%.md": "# Prices\n\nThe zebrawood costs $12 and see [[Orchid care]].\n",
    "Ünï cødé/Orchid care.md": "# Orchid care\n\nWater the orchid with rain water.\n\n## Repotting\n\nUse bark for the orchid roots. #plants\n",
    "Ünï cødé/知識ノート.md": "# 知識ノート\n\n蘭の水やりについて。orchid の世話。\n",
    "Ünï cødé/party 🎉.md": "# Party 🎉\n\n🎉🎉 The glühwein is for the volunteers.\n",
  });
  mkdirSync(join(vault, ".venv/bin"), { recursive: true });
  copyFileSync(strangers.program, join(vault, ".venv/bin/python"));
  return vault;
}

/** A second vault, and a workspace file with both. */
export function makeWorkspace(parent, vault) {
  const second = join(parent, "Zweites Archiv €");
  write(second, {
    ".obsidian/app.json": "{}",
    "Käse.md": "# Käse\n\nThe appenzeller ripens in the cellar.\n",
  });
  const file = join(parent, "both.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: [{ path: vault }, { path: second }] }));
  return file;
}

function write(folder, notes) {
  for (const [name, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

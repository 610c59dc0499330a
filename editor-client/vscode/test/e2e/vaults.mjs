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

/** Notes that try to put live links, images and commands into their preview, and one that links to each of them. */
export function addHostileNotes(vault) {
  const notes = Object.fromEntries(HOSTILE.map((text, n) => [`Strange/quagga ${n + 1}.md`, `Quagga number ${n + 1}.\n${text}`]));
  const names = Object.keys(notes).map((path) => path.slice("Strange/".length, -".md".length));
  write(vault, { ...notes, "Strange/all quaggas.md": names.map((name) => `[[${name}]]`).join("\n") });
  return names;
}

const HOSTILE = [
  "[a](command:workbench.action.terminal.new) ![b](https://evil.example/b.png) <https://evil.example/c> [d][e]\n\n[e]: command:evil",
  "<a href='command:evil'>a</a> <img src=x onerror=alert(1)> <svg onload=alert(1)><iframe src='https://evil.example'></iframe>",
  "https://evil.example/a www.evil.example me@evil.example ftp://evil.example vscode://evil.evil/x file:///etc/passwd",
  "> [a]: command:evil\n\n- [b]:\n  command:evil\n\n[a] [b] ![a] [a][] [x][b]",
  "| a | b |\n|-|-|\n| `x | [evil](command:evil)` |",
  "```\n```` [a](command:evil)\n```\n[b](command:evil)\n~~~ <img src=x>\n",
  "\\\\[a](command:evil) \\![a](command:evil) &#91;a](command:evil) [a&#93;(command:evil) &lt;img src=x&gt; $(terminal)",
  `\`${"x".repeat(390)}[a](command:evil)\``,
  "<!-- --> [a](<command:evil>) %%x%%[b](command:evil?%5B%22x%22%5D 'c')\n<details open ontoggle=alert(1)><summary>x</summary>",
];

function write(folder, notes) {
  for (const [name, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

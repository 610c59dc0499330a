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
  "\\\\[a](command:evil) \\![a](command:evil) &#91;a](command:evil) [a&#93;(command:evil) &lt;img src=x&gt; $(terminal) \u202e[a](command:evil)\u202c \u2066<img src=x>\u2069",
  `\`${"x".repeat(390)}[a](command:evil)\``,
  "<!-- --> [a](<command:evil>) %%x%%[b](command:evil?%5B%22x%22%5D 'c')\n<details open ontoggle=alert(1)><summary>x</summary>",
];

function write(folder, notes) {
  for (const [name, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Files that are no text, and a note about one of them. */
export function addFiles(vault) {
  const board = { nodes: [{ id: "n1", type: "text", text: "first" }, { id: "n2", type: "text", text: "The okapikraut is here." }], edges: [] };
  const cells = ["print(1)", "okapicell = 2"].map((source) => ({ cell_type: "code", source: [source], metadata: {}, outputs: [], execution_count: null }));
  write(vault, {
    "Files/paper.pdf": pdf(["First page.", "See https://evil.example/x and command:evil\nof the okapipaper and more."]),
    "Files/board.canvas": JSON.stringify(board, null, 1),
    "Files/cells.ipynb": JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1),
    "Files/About okapis.md": "# About okapis\n\nWhat the okapipaper says.\n",
  });
}

/** A PDF with lines of text on each page. */
function pdf(pages) {
  const objects = ["", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  const kids = pages.map((text) => {
    const stream = `BT /F1 12 Tf 14 TL 72 720 Td ${text.split("\n").map((line) => `(${line}) Tj T*`).join(" ")} ET`;
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    return objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${objects.length} 0 R ${resources} >>`);
  });
  objects[0] = "<< /Type /Catalog /Pages 2 0 R >>";
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`;
  let out = "%PDF-1.7\n";
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return `${out}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
}

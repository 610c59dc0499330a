// The plugin in a stand-in of the app, over a vault on the disk and the real server.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import VaultseekPlugin from "../../src/main";
import type { Machine } from "../../src/server/locate";
import { App, Modal, Notice, Plugin, type WorkspaceLeaf } from "../stand-in/obsidian";
import { PROGRAM, vault } from "./real";
import { temporary } from "./temporary";
import { body } from "./world";

/** A loaded plugin, with the parts of it that tests look at. */
export interface Loaded {
  readonly app: App;
  readonly plugin: VaultseekPlugin;
  readonly own: Plugin;
  readonly root: string;
  run(command: string): void;
  write(path: string, text: string): void;
}

export async function load(notes: Record<string, string>, path = PROGRAM, on?: Machine): Promise<Loaded> {
  const root = vault(notes);
  const app = new App(root, body);
  for (const [name, text] of Object.entries(notes)) {
    await app.vault.create(name, text);
  }
  app.stored.set("vaultseek", { serverPath: path, indexFolder: temporary("index") });
  const plugin = new VaultseekPlugin(app as never, { version: "0.1.0" } as never);
  const own = plugin as unknown as Plugin;
  own.data = { enableSemantic: false };
  if (on !== undefined) {
    plugin.machine = () => on;
  }
  await plugin.onload();
  return {
    app,
    plugin,
    own,
    root,
    run: (id) => {
      const command = own.commands.find((each) => each.id === id);
      if (command?.checkCallback !== undefined) {
        command.checkCallback(false);
      } else if (command?.editorCallback !== undefined && app.workspace.active !== undefined) {
        command.editorCallback(app.workspace.active.editor);
      } else {
        command?.callback?.();
      }
    },
    write: (name, text) => {
      writeFileSync(join(root, name), text);
    },
  };
}

/** Opens a note in an editor. */
export async function edit({ app }: Loaded, path: string): Promise<WorkspaceLeaf> {
  const leaf = app.workspace.getLeaf(true);
  const file = app.vault.getFileByPath(path);
  if (file === null) {
    throw new Error(`There is no ${path}.`);
  }
  await leaf.openFile(file, {});
  return leaf;
}

/** The element of the page, or of a part of it, that a selector finds. */
export function find(selector: string, inside: ParentNode = body): HTMLElement {
  const found = inside.querySelector<HTMLElement>(selector);
  if (found === null) {
    throw new Error(`There is no ${selector} in ${body.textContent}`);
  }
  return found;
}

export function type(text: string, inside: ParentNode = body): HTMLInputElement {
  const input = find("input.vaultseek-query", inside) as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new window.Event("input"));
  return input;
}

export function press(input: HTMLElement, key: string, more: KeyboardEventInit = {}): void {
  input.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

/** Waits until something holds; fails after a while, and says what the page shows. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let left = 1_500; !holds(); left -= 1) {
    if (left === 0) {
      throw new Error(`Never: ${what}. The page shows: ${body.textContent}. Notices: ${Notice.texts.join(" | ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The titles in a list of results whose answer is whole. */
export function titles(inside: ParentNode = body): string[] {
  return Array.from(inside.querySelectorAll(".vaultseek-title"), (each) => each.textContent);
}

export const isWhole = (inside: ParentNode = body): boolean => inside.querySelector(".vaultseek-results")?.getAttribute("aria-busy") === "false";

export function closeAll(): void {
  for (const modal of [...Modal.open]) {
    modal.close();
  }
}

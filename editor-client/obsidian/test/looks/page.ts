// The plugin in a page: the stand-in of the app with the elements and names of classes of the real one.

import VaultseekPlugin from "../../src/main";
import { extend } from "../stand-in/dom";
import { App, type Plugin } from "../stand-in/obsidian";

extend(window);

/** Makes the app with the files of its vault, as they are before a plugin starts. */
async function fill(root: string, paths: string[]): Promise<void> {
  const app = new App(root, document.body);
  for (const path of paths) {
    await app.vault.create(path, "");
  }
  Object.assign(window, { start: () => start(app) });
}

async function start(app: App): Promise<void> {
  const plugin = new VaultseekPlugin(app as never, { version: "0.1.0" } as never);
  await plugin.onload();
  const own = plugin as unknown as Plugin;
  Object.assign(window, {
    app,
    run: (id: string) => {
      const command = own.commands.find((each) => each.id === id);
      command?.callback?.();
      command?.checkCallback?.(false);
    },
    open: async (path: string) => {
      const file = app.vault.getFileByPath(path);
      if (file !== null) {
        await app.workspace.getLeaf(true).openFile(file, {});
        app.workspace.trigger("active-leaf-change");
      }
    },
    changeAll: () => {
      for (const { file } of app.vault.files.values()) {
        app.vault.trigger("modify", file);
      }
    },
    showSettings: () => {
      const tab = own.tab as unknown as { display(): void; containerEl: HTMLElement };
      document.body.replaceChildren(tab.containerEl);
      tab.display();
    },
  });
}

Object.assign(window, { fill });

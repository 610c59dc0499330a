// The one server for all folders: started when it is first needed, and again after a crash.

import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { ProgressType, type State, type LanguageClient } from "vscode-languageclient/node";
import { Keeper, NoServer, refusalOrGone } from "../../../shared/keeper";
import { ended, launch, type Command } from "../../../shared/process";
import type { Listening } from "../../../shared/request";
import { messageOf } from "../../../shared/text";
import { isIncompatible, isOlder } from "../../../shared/version";
import { storedKeys } from "../keys";
import { locate } from "./locate";
import { machine } from "./machine";
import { optionsOf, QuietClient } from "./options";

const GOODBYE_MS = 5_000; // time to finish writing
const MISSING = "Vaultseek's server is not installed.";
const SETTLED_MS = 3_000; // in a remote window settings can arrive shortly after the start

interface Running {
  readonly client: LanguageClient;
  readonly child: ChildProcess;
}

export class Server implements vscode.Disposable {
  private readonly keeper: Keeper<Running>;
  private hasTold = false;
  private toldOf = ""; // the version of the server that was reported as incompatible
  private mayFill = true;
  private nTokens = 0;
  private telling: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly secrets: vscode.SecretStorage,
    /** The extension's version. */
    private readonly version: string,
  ) {
    this.keeper = new Keeper({
      start: (signal, onEnd) => this.start(signal, onEnd),
      end: (running) => this.end(running),
      onCrash: (waitMs) => {
        this.onCrash(waitMs);
      },
    });
  }

  /** The running client; starts one if necessary. */
  async ready(): Promise<LanguageClient> {
    return (await this.keeper.ready()).client;
  }

  /** Sends a request that its signal can cancel; partial answers and progress are passed on as they arrive. */
  async request<A>(method: string, params: object, { signal, onPart, onProgress }: Listening<A> = {}): Promise<A> {
    const client = await this.ready();
    const source = new vscode.CancellationTokenSource();
    const cancel = (): void => {
      source.cancel();
    };
    if (signal?.aborted === true) {
      cancel();
    }
    signal?.addEventListener("abort", cancel, { once: true });
    const listening: vscode.Disposable[] = [];
    const listen = (listener: (value: never) => void): string => {
      const token = `vaultseek-${(this.nTokens += 1)}`;
      listening.push(client.onProgress(new ProgressType<never>(), token, listener));
      return token;
    };
    const tokens = {
      ...(onPart === undefined ? {} : { partialResultToken: listen(onPart) }),
      ...(onProgress === undefined ? {} : { workDoneToken: listen(onProgress) }),
    };
    try {
      return await client.sendRequest<A>(method, { ...params, ...tokens }, source.token);
    } catch (error) {
      throw refusalOrGone(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      for (const listener of listening) {
        listener.dispose();
      }
      source.dispose();
    }
  }

  /** Tells a running server that settings have changed, so that it requests them. A server that starts later does so anyway. */
  async settingsChanged(): Promise<void> {
    await this.keeper.current?.client.sendNotification("workspace/didChangeConfiguration", { settings: null });
  }

  /** Sets whether the server may compute vectors in the background; it may again after the next command or start. */
  async letFill(may: boolean): Promise<void> {
    if (this.mayFill !== may) {
      this.mayFill = may;
      await this.settingsChanged();
    }
  }

  /** Stops the server and starts it again with the current settings. */
  async restart(): Promise<void> {
    this.hasTold = false;
    this.mayFill = true;
    clearTimeout(this.telling);
    await this.keeper.restart();
  }

  dispose(): void {
    clearTimeout(this.telling);
    void this.keeper.stop();
    this.changed.dispose();
  }

  private async start(signal: AbortSignal, onEnd: () => void): Promise<Running> {
    const command = await locate(machine());
    const keys = await storedKeys(this.secrets);
    signal.throwIfAborted();
    if (command === undefined) {
      this.tellMissing();
      this.output.error(MISSING);
      throw new NoServer(MISSING);
    }
    clearTimeout(this.telling);
    this.output.info(`Server: ${command.program} ${command.args.join(" ")} (from ${command.origin})`);
    const child = await this.launch(command);
    const kill = (): void => {
      child.kill();
    };
    signal.addEventListener("abort", kill);
    const options = optionsOf({ output: this.output, keys, mayFill: () => this.mayFill, onEnd });
    const client = new QuietClient("vaultseek", "Vaultseek", () => Promise.resolve(child), options);
    client.onDidChangeState(({ newState }) => {
      this.changed.fire(newState);
    });
    try {
      signal.throwIfAborted();
      await client.start();
      this.compareVersions(client.initializeResult?.serverInfo?.version ?? "");
      return { client, child };
    } catch (error) {
      this.output.error(`The server did not start: ${messageOf(error)}`);
      kill();
      throw error;
    } finally {
      signal.removeEventListener("abort", kill); // a running server is asked to end instead
    }
  }

  private async launch(command: Command): Promise<ChildProcess> {
    try {
      return await launch(command);
    } catch (error) {
      const message = `Vaultseek's server cannot be started: ${messageOf(error)}`;
      this.output.error(message);
      if (!this.hasTold) {
        this.hasTold = true;
        void this.notify(message, "Show Log", "Restart");
      }
      throw new NoServer(message);
    }
  }

  private async end({ client, child }: Running): Promise<void> {
    try {
      await client.dispose(GOODBYE_MS);
    } catch (error) {
      this.output.warn(`The server did not stop when asked: ${messageOf(error)}`);
    }
    await ended(child, GOODBYE_MS);
  }

  private onCrash(waitMs: number | undefined): void {
    if (waitMs === undefined) {
      this.output.error("The server crashed too often and is not started again.");
      void this.notify("Vaultseek's server keeps crashing.", "Show Log", "Restart");
    } else {
      this.output.warn(`The server crashed and starts again in ${waitMs / 1000} s.`);
    }
  }

  private tellMissing(): void {
    if (!this.hasTold) {
      this.hasTold = true;
      this.telling = setTimeout(() => {
        void this.notify(`${MISSING} It is a Python program that runs on this machine.`, "How to Install", "Restart");
      }, SETTLED_MS);
    }
  }

  /** Says once which one to update if the server and the extension speak different protocols. */
  private compareVersions(server: string): void {
    if (server === this.toldOf || !isIncompatible(server, this.version)) {
      return;
    }
    this.toldOf = server;
    const isServerOld = isOlder(server, this.version);
    const message = `Update Vaultseek's ${isServerOld ? "server" : "extension"}: the server has version ${server}, the extension ${this.version}. Some features may not work.`;
    this.output.warn(message);
    void this.notify(message, ...(isServerOld ? ["How to Install"] : []));
  }

  private async notify(message: string, ...actions: string[]): Promise<void> {
    switch (await vscode.window.showErrorMessage(message, ...actions)) {
      case "How to Install":
        await vscode.commands.executeCommand("vaultseek.showInstall");
        break;
      case "Show Log":
        this.output.show();
        break;
      case "Restart":
        await this.restart().catch(() => undefined);
        break;
      default:
    }
  }
}

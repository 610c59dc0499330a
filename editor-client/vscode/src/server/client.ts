// The one server for all folders: started when it is first needed, started again after a crash.

import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { ProgressType, type State, type LanguageClient } from "vscode-languageclient/node";
import { storedKeys } from "../keys";
import { messageOf } from "../text";
import { Keeper, NoServer, ServerGone } from "./keeper";
import { locate, type Command } from "./locate";
import { machine } from "./machine";
import { optionsOf, QuietClient } from "./options";
import { ended, launch } from "./process";

const GOODBYE_MS = 5_000; // for what it still has to write
const SETTLED_MS = 3_000; // in a remote window settings may come a moment after the start

/** How far a request is. */
export interface WorkDone {
  readonly kind: "begin" | "report" | "end";
  readonly message?: string;
  readonly percentage?: number;
}

/** What goes along with a request: who may stop it, and who wants to hear of it before it is answered. */
export interface Listening<A> {
  readonly signal?: AbortSignal;
  readonly onPart?: (part: A) => void;
  readonly onProgress?: (progress: WorkDone) => void;
}

interface Running {
  readonly client: LanguageClient;
  readonly child: ChildProcess;
}

export class Server implements vscode.Disposable {
  private readonly keeper: Keeper<Running>;
  private hasTold = false;
  private mayFill = true;
  private nTokens = 0;
  private telling: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly secrets: vscode.SecretStorage,
  ) {
    this.keeper = new Keeper({
      start: (signal, onEnd) => this.start(signal, onEnd),
      end: (running) => this.end(running),
      onCrash: (waitMs) => {
        this.onCrash(waitMs);
      },
    });
  }

  /** The running client, started if need be. */
  async ready(): Promise<LanguageClient> {
    return (await this.keeper.ready()).client;
  }

  /** A request that stops where its signal says so, with parts and progress as they come. */
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
      throw client === this.keeper.current?.client ? error : new ServerGone();
    } finally {
      signal?.removeEventListener("abort", cancel);
      for (const listener of listening) {
        listener.dispose();
      }
      source.dispose();
    }
  }

  /** Tell the server that settings changed: it asks for those of each folder. One that is not running does so later. */
  async settingsChanged(): Promise<void> {
    await this.keeper.current?.client.sendNotification("workspace/didChangeConfiguration", { settings: null });
  }

  /** Whether the server may make vectors without being told to; where not, only until the next command or start. */
  async letFill(may: boolean): Promise<void> {
    if (this.mayFill !== may) {
      this.mayFill = may;
      await this.settingsChanged();
    }
  }

  /** End what runs, and start anew with what the settings say then. */
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
      throw new NoServer("Vaultseek's server is not installed.");
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
      return { client, child };
    } catch (error) {
      this.output.error(`The server did not start: ${messageOf(error)}`);
      kill();
      throw error;
    } finally {
      signal.removeEventListener("abort", kill); // one that runs is asked to end
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
        void this.tell(message, "Show Log", "Restart");
      }
      throw new NoServer(message);
    }
  }

  private async end({ client, child }: Running): Promise<void> {
    try {
      await client.dispose(GOODBYE_MS);
    } catch (error) {
      this.output.warn(`The server did not stop by itself: ${messageOf(error)}`);
    }
    await ended(child, GOODBYE_MS);
  }

  private onCrash(waitMs: number | undefined): void {
    if (waitMs === undefined) {
      this.output.error("The server ended too often and is not started again.");
      void this.tell("Vaultseek's server ends again and again.", "Show Log", "Restart");
    } else {
      this.output.warn(`The server ended; it is started again in ${waitMs / 1000} s.`);
    }
  }

  private tellMissing(): void {
    if (!this.hasTold) {
      this.hasTold = true;
      this.telling = setTimeout(() => {
        void this.tell("Vaultseek's server is not installed. It is a Python program that runs on this machine.", "How to Install", "Restart");
      }, SETTLED_MS);
    }
  }

  private async tell(message: string, ...actions: string[]): Promise<void> {
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

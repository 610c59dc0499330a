// The one server for all folders: started when it is first needed, started again after a crash.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  ProgressType,
  State,
  type ServerOptions,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { storedKeys, withoutKeys } from "../keys";
import { backOff, locate } from "./locate";
import { machine } from "./machine";

const OWN = new Set(["server", "trace", "newNoteFolder"]); // settings of the client alone
const STEADY_MS = 60_000; // a server that ran for so long did not crash at its start

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

/** Thrown where no server can be had; the user has been told. */
export class NoServer extends Error {}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<LanguageClient> | undefined;
  private nCrashes = 0;
  private startedAt = 0;
  private isStopping = false;
  private hasTold = false;
  private mayFill = true;
  private nTokens = 0;
  private again: NodeJS.Timeout | undefined;
  private telling: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly secrets: vscode.SecretStorage,
  ) {}

  /** The running client, started if need be. */
  async ready(): Promise<LanguageClient> {
    if (this.client?.isRunning() === true) {
      return this.client;
    }
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
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
    if (this.client?.isRunning() === true) {
      await this.client.sendNotification("workspace/didChangeConfiguration", { settings: null });
    }
  }

  /** Whether the server may make vectors without being told to; where not, only until the next command or start. */
  async letFill(may: boolean): Promise<void> {
    if (this.mayFill !== may) {
      this.mayFill = may;
      await this.settingsChanged();
    }
  }

  /** Stop, and start anew with what the settings say now. */
  async restart(): Promise<void> {
    await this.stop();
    this.nCrashes = 0;
    this.hasTold = false;
    this.mayFill = true;
    await this.ready();
  }

  async stop(): Promise<void> {
    clearTimeout(this.again);
    clearTimeout(this.telling);
    this.isStopping = true;
    try {
      const client = await this.starting?.catch(() => undefined);
      await (client ?? this.client)?.dispose(5_000);
    } catch (error) {
      this.output.warn(`The server did not stop by itself: ${String(error)}`);
    } finally {
      this.client = undefined;
      this.isStopping = false;
    }
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
  }

  private async start(): Promise<LanguageClient> {
    const command = await locate(machine());
    if (command === undefined) {
      this.tellMissing();
      throw new NoServer("Vaultseek's server is not installed.");
    }
    clearTimeout(this.telling);
    this.output.info(`Server: ${command.program} ${command.args.join(" ")} (from ${command.origin})`);
    const executable = { command: command.program, args: [...command.args] };
    const options: ServerOptions = { run: executable, debug: executable };
    const client = new LanguageClient("vaultseek", "Vaultseek", options, this.options(await storedKeys(this.secrets)));
    client.onDidChangeState(({ newState }) => {
      this.changed.fire(newState);
    });
    // One that crashed has nobody to say goodbye to, and may wait for an answer.
    this.client?.dispose().catch(() => undefined);
    this.client = client;
    this.startedAt = Date.now();
    try {
      await client.start();
    } catch (error) {
      this.output.error(`The server did not start: ${String(error)}`);
      throw error;
    }
    return client;
  }

  private options(keys: Readonly<Record<string, string>>): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: "file", language: "markdown" },
        { scheme: "untitled", language: "markdown" },
      ],
      outputChannel: this.output,
      traceOutputChannel: withoutKeys(this.output, Object.values(keys)),
      initializationOptions: { ...this.forServer(vscode.workspace.getConfiguration("vaultseek")), keys },
      markdown: { isTrusted: false, supportHtml: false },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.restartLater();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        workspace: {
          configuration: async (params, token, next) => {
            const answers = await next(params, token);
            return Array.isArray(answers) ? answers.map((answer) => this.forServer(answer)) : answers;
          },
        },
      },
    };
  }

  /** The settings that the server knows; for an untrusted workspace words alone, and nothing is asked elsewhere. */
  private forServer(settings: unknown): object | null {
    if (typeof settings !== "object" || settings === null) {
      return null;
    }
    const known = Object.fromEntries(Object.entries(settings).filter(([name]) => !OWN.has(name)));
    return {
      ...known,
      ...(this.mayFill ? {} : { autoIndex: "never" }),
      ...(vscode.workspace.isTrusted ? {} : { enableSemantic: false, embedding: null, chat: null, rerank: null }),
    };
  }

  private restartLater(): void {
    if (this.isStopping) {
      return;
    }
    this.nCrashes = Date.now() - this.startedAt > STEADY_MS ? 1 : this.nCrashes + 1;
    const wait = backOff(this.nCrashes);
    if (wait === undefined) {
      this.output.error("The server ended too often and is not started again.");
      void this.tell("Vaultseek's server ends again and again.", "Show Log", "Restart");
      return;
    }
    this.output.warn(`The server ended; it is started again in ${wait / 1000} s.`);
    this.again = setTimeout(() => {
      this.ready().catch((error: unknown) => {
        this.output.error(String(error));
      });
    }, wait);
  }

  private tellMissing(): void {
    if (!this.hasTold) {
      this.hasTold = true;
      // In a remote window settings may come a moment after the start.
      clearTimeout(this.telling);
      this.telling = setTimeout(() => {
        this.tellInstall();
      }, 3_000);
    }
  }

  private tellInstall(): void {
    const message = "Vaultseek's server is not installed. It is a Python program that runs on this machine.";
    void this.tell(message, "How to Install", "Restart");
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

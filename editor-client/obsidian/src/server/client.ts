// The one server of the vault: started when it is first needed, and again after a crash.

import { pathToFileURL } from "node:url";
import { CancellationTokenSource, ProgressType, type Disposable } from "vscode-jsonrpc";
import { Keeper, NoServer, refusalOrGone } from "../../../shared/keeper";
import { launch } from "../../../shared/process";
import type { Listening } from "../../../shared/request";
import { messageOf } from "../../../shared/text";
import { isIncompatible } from "../../../shared/version";
import { connect, farewell, type Running } from "./connection";
import { locate, type Machine } from "./locate";
import type { Problem } from "./problems";

const N_LINES = 500;

/** What the server needs of the plugin. */
export interface Host {
  /** The vault's folder. */
  readonly root: string;
  /** The plugin's version. */
  readonly version: string;
  machine(): Machine;
  /** The settings for the server. */
  settings(): object;
  /** Shows a message of the server to the user. */
  tell(message: string): void;
}

export class Server {
  /** What prevents the server from answering, or what does not fit; undefined if all is well. */
  problem: Problem | undefined;
  /** Called with the current problem whenever it changes, and at each start. */
  readonly onChange = new Set<() => void>();
  /** Called before each request, to send what changed in editors. */
  readonly onRequest = new Set<(running: Running) => void>();
  private readonly keeper: Keeper<Running>;
  private readonly lines: string[] = [];
  private mayFill = true;
  private nTokens = 0;
  private isStopped = false;

  constructor(private readonly host: Host) {
    this.keeper = new Keeper({
      start: (signal, onEnd) => this.start(signal, onEnd),
      end: farewell,
      onCrash: (waitMs) => {
        this.note(waitMs === undefined ? "The server crashed too often." : `The server crashed and starts again in ${waitMs} ms.`);
        this.report(waitMs === undefined ? { kind: "crashing", log: [...this.lines] } : { kind: "waiting", waitMs });
      },
    });
  }

  /** The last lines of the log. */
  get log(): readonly string[] {
    return this.lines;
  }

  get isRunning(): boolean {
    return this.keeper.current !== undefined;
  }

  /** The process id of the running server. */
  get pid(): number | undefined {
    return this.keeper.current?.child.pid;
  }

  /** Sends a request that its signal can cancel; partial answers and progress are passed on as they arrive. */
  async request<A>(method: string, params: object, { signal, onPart, onProgress }: Listening<A> = {}): Promise<A> {
    if (this.isStopped) {
      throw new NoServer("Vaultseek is switched off.");
    }
    const running = await this.keeper.ready();
    for (const before of this.onRequest) {
      before(running);
    }
    const source = new CancellationTokenSource();
    const cancel = (): void => {
      source.cancel();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) {
      cancel();
    }
    const listening: Disposable[] = [];
    const listen = (listener: (value: never) => void): string => {
      const token = `vaultseek-${(this.nTokens += 1)}`;
      listening.push(running.connection.onProgress(new ProgressType<never>(), token, listener));
      return token;
    };
    const tokens = {
      ...(onPart === undefined ? {} : { partialResultToken: listen(onPart) }),
      ...(onProgress === undefined ? {} : { workDoneToken: listen(onProgress) }),
    };
    try {
      return await running.connection.sendRequest<A>(method, { ...params, ...tokens }, source.token);
    } catch (error) {
      throw refusalOrGone(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      for (const each of listening) {
        each.dispose();
      }
      source.dispose();
    }
  }

  /** Sends a notification to a running server; a server that starts later reads everything anyway. */
  notify(method: string, params: object): void {
    this.keeper.current?.connection.sendNotification(method, params).catch((error: unknown) => {
      this.note(messageOf(error));
    });
  }

  /** Sends changed settings to a running server. */
  settingsChanged(): void {
    this.notify("workspace/didChangeConfiguration", { settings: { vaultseek: this.settings() } });
  }

  /** Sets whether the server may compute vectors in the background. */
  letFill(may: boolean): void {
    if (this.mayFill !== may) {
      this.mayFill = may;
      this.settingsChanged();
    }
  }

  /** Stops the server and starts it again. */
  async restart(): Promise<void> {
    this.mayFill = true;
    this.report(undefined);
    await this.keeper.restart();
  }

  /** Stops the server for good; returns when its process has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.onChange.clear();
    await this.keeper.stop();
  }

  private async start(signal: AbortSignal, onEnd: () => void): Promise<Running> {
    const found = await locate(this.host.machine(), signal);
    if (found.kind !== "found") {
      this.report(found);
      throw new NoServer(found.kind === "path" ? `The setting “Path of the server”: ${found.reason}` : "Vaultseek's server was not found.");
    }
    const { command } = found;
    this.note(`Server: ${command.program} ${command.args.join(" ")} (from ${command.origin})`);
    const child = await this.launch(command);
    const kill = (): void => {
      child.stdin?.destroy(); // ends a server whose launcher is another process
      child.kill("SIGKILL");
    };
    signal.addEventListener("abort", kill);
    try {
      signal.throwIfAborted();
      const running = await connect(child, {
        hello: this.hello(),
        onEnd,
        onLog: (line) => {
          this.note(line);
        },
        onMessage: (message) => {
          this.host.tell(message);
        },
      });
      const { version } = running;
      this.report(isIncompatible(version, this.host.version) ? { kind: "version", server: version, plugin: this.host.version } : undefined);
      return running;
    } catch (error) {
      this.note(`The server did not start: ${messageOf(error)}`);
      kill();
      throw error;
    } finally {
      signal.removeEventListener("abort", kill); // a running server is asked to end instead
    }
  }

  private async launch(command: Parameters<typeof launch>[0]): ReturnType<typeof launch> {
    try {
      return await launch(command);
    } catch (error) {
      const reason = reasonOf(error);
      this.report({ kind: "broken", path: command.program, origin: command.origin, reason });
      throw new NoServer(`${command.program} (from ${command.origin}) cannot be started: ${reason}`);
    }
  }

  private hello(): object {
    const uri = pathToFileURL(this.host.root).href;
    return {
      processId: process.pid,
      clientInfo: { name: "Obsidian", version: this.host.version },
      rootUri: uri,
      workspaceFolders: [{ uri, name: "vault" }],
      capabilities: {
        general: { positionEncodings: ["utf-16"] },
        window: { workDoneProgress: true, showMessage: {} },
        workspace: { didChangeWatchedFiles: { dynamicRegistration: false }, workspaceFolders: true },
      },
      initializationOptions: this.settings(),
    };
  }

  private settings(): object {
    // The vault is named, so that it is searched as it is, whatever folder it lies in.
    return { ...this.host.settings(), vaults: [this.host.root], ...(this.mayFill ? {} : { autoIndex: "never" }) };
  }

  private report(problem: Problem | undefined): void {
    this.problem = problem;
    for (const listener of this.onChange) {
      listener();
    }
  }

  private note(line: string): void {
    this.lines.push(line);
    this.lines.splice(0, Math.max(0, this.lines.length - N_LINES));
  }
}

/** Why a program that exists was not started. */
function reasonOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === "ENOENT" ? "the program that its first line names does not exist." : messageOf(error);
}

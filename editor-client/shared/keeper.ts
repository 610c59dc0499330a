// Keeps one server running: there is only one start at a time, and callers wait for it.
//
// So a crash, a changed setting and a search at the same time lead to one server, never to two, and a search never
// uses a server that is about to end. This module does not know what a server is.

import { SERVER_GONE } from "./latest";

const STEADY_MS = 60_000; // a server that ran this long did not crash at its start

/** Thrown if no server can be started; the user has already seen a message. */
export class NoServer extends Error {}

/** Thrown if the server ended before it answered; the request can be sent to the next server. */
export class ServerGone extends Error {
  readonly code = SERVER_GONE;

  constructor() {
    super("Vaultseek's server ended before it answered.");
  }
}

// Set by this side of a connection that cannot write, is disposed of or does not listen.
const BROKEN: readonly unknown[] = [-32099, -32098, -32097];

/** The error of a failed request: as it is if the server refused the request, `ServerGone` if the connection broke. */
export function refusalOrGone(error: unknown): unknown {
  const { code } = error as { readonly code?: unknown };
  // A refusal has a code below 0; an error of the connection itself has none, or one above.
  return typeof code === "number" && code < 0 && !BROKEN.includes(code) ? error : new ServerGone();
}

/** Starts and stops servers. */
export interface Craft<S> {
  /** Starts a server. Calls `onEnd` when it ends for any reason; `signal` cancels the start. */
  start(signal: AbortSignal, onEnd: () => void): Promise<S>;
  /** Never fails. */
  end(server: S): Promise<void>;
  /** Called at each crash, with the milliseconds until the next start; undefined if there will be none. */
  onCrash(waitMs: number | undefined): void;
}

export class Keeper<S> {
  private server: S | undefined;
  private starting: Promise<void> | undefined; // set while a start is running or scheduled
  private abort = new AbortController(); // cancels the current start
  private isEnding = false;
  private isGivenUp = false;
  private nCrashes = 0;

  constructor(private readonly craft: Craft<S>) {}

  /** The server, if it is running and not about to be stopped. */
  get current(): S | undefined {
    return this.starting === undefined ? this.server : undefined;
  }

  /** The running server; starts one if necessary. */
  async ready(): Promise<S> {
    for (;;) {
      if (this.starting === undefined) {
        if (this.server !== undefined) {
          return this.server;
        }
        if (this.isGivenUp) {
          throw new NoServer("Vaultseek's server is not running. Run Restart Server to start it.");
        }
      }
      try {
        await (this.starting ?? this.begin((signal) => this.start(signal)));
      } catch (error) {
        if (this.starting === undefined && !this.isGivenUp) {
          throw error;
        }
      }
    }
  }

  /** Stops the server and starts it again; several calls before the old one has ended count as one. */
  async restart(): Promise<S> {
    this.nCrashes = 0;
    this.isGivenUp = false;
    if (!this.isEnding) {
      this.abort.abort();
      void this.begin(async (signal) => {
        await this.end();
        await this.start(signal);
      });
    }
    return this.ready();
  }

  /** Stops the server for good. */
  async stop(): Promise<void> {
    this.isGivenUp = true;
    this.abort.abort();
    await this.end();
  }

  private begin(start: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = (this.abort = new AbortController());
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        reject(new ServerGone());
      });
    });
    const starting = Promise.race([start(signal), aborted]).finally(() => {
      if (this.starting === starting) {
        this.starting = undefined;
      }
    });
    starting.catch(() => undefined); // a failed start without a waiting caller is no unhandled rejection
    this.starting = starting;
    return starting;
  }

  private async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const startedAt = Date.now();
    const own = { isUp: false, hasEnded: false };
    let server: S;
    try {
      server = await this.craft.start(signal, () => {
        own.hasEnded = true;
        if (own.isUp && this.server === server) {
          this.crashed(startedAt);
        }
      });
    } catch (error) {
      if (!signal.aborted && !(error instanceof NoServer)) {
        this.crashed(startedAt);
      }
      throw error;
    }
    if (signal.aborted) {
      await this.craft.end(server);
    } else if (own.hasEnded) {
      this.crashed(startedAt);
    } else {
      own.isUp = true;
      this.server = server;
    }
  }

  private async end(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    this.isEnding = true;
    if (server !== undefined) {
      await this.craft.end(server);
    }
    this.isEnding = false;
  }

  private crashed(startedAt: number): void {
    this.server = undefined;
    this.nCrashes = Date.now() - startedAt > STEADY_MS ? 1 : this.nCrashes + 1;
    const wait = backOff(this.nCrashes);
    if (wait === undefined) {
      this.isGivenUp = true;
    } else {
      void this.begin(async (signal) => {
        await new Promise((resolve) => setTimeout(resolve, wait));
        await this.start(signal);
      });
    }
    this.craft.onCrash(wait);
  }
}

/** Milliseconds to wait before the n-th start in a row (from 1) after a crash; undefined: give up. */
export function backOff(n: number): number | undefined {
  return n > 6 ? undefined : Math.min(30_000, 500 * 2 ** (n - 1));
}

// Keeps one server running: one start is under way at a time, and whoever asks meanwhile waits for it.
//
// So a crash, a changed setting and a search that come together lead to one server, never to two, and a search never
// goes to one that is about to end. It knows nothing of what a server is.

import { SERVER_GONE } from "../latest";
import { backOff } from "./locate";

const STEADY_MS = 60_000; // a server that ran for so long did not crash at its start

/** Thrown where no server can be had; the user has been told. */
export class NoServer extends Error {}

/** Thrown where the server ended before it answered; another one may be asked again. */
export class ServerGone extends Error {
  readonly code = SERVER_GONE;

  constructor() {
    super("Vaultseek's server ended before it answered.");
  }
}

/** How servers are started and ended. */
export interface Craft<S> {
  /** Calls `onEnd` when the server ends, whoever ends it. Where `signal` says so, the start is not wanted any more. */
  start(signal: AbortSignal, onEnd: () => void): Promise<S>;
  /** Never fails. */
  end(server: S): Promise<void>;
  /** Told of each crash, with the milliseconds until the next start; undefined: it is given up. */
  onCrash(waitMs: number | undefined): void;
}

export class Keeper<S> {
  private server: S | undefined;
  private starting: Promise<void> | undefined; // there while a start is under way or to come
  private abort = new AbortController(); // of what is starting
  private isEnding = false;
  private isGivenUp = false;
  private nCrashes = 0;

  constructor(private readonly craft: Craft<S>) {}

  /** The server, where it runs and is to go on. */
  get current(): S | undefined {
    return this.starting === undefined ? this.server : undefined;
  }

  /** The running server, started if need be. */
  async ready(): Promise<S> {
    for (;;) {
      if (this.starting === undefined) {
        if (this.server !== undefined) {
          return this.server;
        }
        if (this.isGivenUp) {
          throw new NoServer("Vaultseek's server does not run; Restart Server starts it again.");
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

  /** Ends the server and starts it anew; asked several times before the old one has ended, it is done once. */
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

  /** Ends the server for good. */
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
    starting.catch(() => undefined); // nobody may be waiting
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

// The server for a page in a browser: requests go to the real one through functions that the test exposes.

import { NoServer } from "../../../shared/keeper";
import type { Listening } from "../../../shared/request";
import type { Problem } from "../../src/server/problems";

interface Outside {
  ask(id: number, method: string, params: object): Promise<{ answer?: unknown; error?: string; code?: number; isNoServer?: boolean }>;
  cancel(id: number): void;
  tell(method: string, params: object): void;
  restartServer(): Promise<void>;
  part?: (id: number, part: unknown) => void;
  problem?: (problem: Problem | undefined) => void;
}

const outside = window as unknown as Outside;

export class Server {
  problem: Problem | undefined;
  readonly onChange = new Set<() => void>();
  readonly onRequest = new Set<(running: object) => void>();
  readonly log: string[] = [];
  isRunning = true;
  private nAsked = 0;
  private readonly parts = new Map<number, (part: never) => void>();
  private readonly connection = {
    sendNotification: (method: string, params: object) => {
      outside.tell(method, params);
      return Promise.resolve();
    },
  };

  constructor() {
    outside.part = (id, part) => this.parts.get(id)?.(part as never);
    outside.problem = (problem) => {
      this.problem = problem ?? undefined;
      for (const listener of this.onChange) {
        listener();
      }
    };
  }

  async request<A>(method: string, params: object, { signal, onPart }: Listening<A> = {}): Promise<A> {
    for (const before of this.onRequest) {
      before({ connection: this.connection });
    }
    const id = (this.nAsked += 1);
    if (onPart !== undefined) {
      this.parts.set(id, onPart);
    }
    signal?.addEventListener("abort", () => {
      outside.cancel(id);
    });
    const { answer, error, code, isNoServer } = await outside.ask(id, method, params);
    this.parts.delete(id);
    if (error !== undefined) {
      throw isNoServer === true ? new NoServer(error) : Object.assign(new Error(error), { code });
    }
    return answer as A;
  }

  notify(method: string, params: object): void {
    outside.tell(method, params);
  }

  settingsChanged(): void {
    // The pictures change none.
  }

  letFill(): void {
    // Nor do they index.
  }

  restart(): Promise<void> {
    return outside.restartServer();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

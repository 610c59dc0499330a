// A request that is sent again after every key: only the answer to the newest one counts.

const REQUEST_CANCELLED = -32800; // defined by LSP
/** The code of the error for a server that ended before it answered. */
export const SERVER_GONE = -32097;
const PASSING: readonly unknown[] = [REQUEST_CANCELLED, SERVER_GONE];
const AGAIN_MS = 1_000;

/** Waits for a pause in typing, cancels outdated requests, and drops their answers. */
export class Latest<Q, A> {
  private newest = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort: AbortController | undefined;

  constructor(
    private readonly ask: (question: Q, signal: AbortSignal, onPart: (answer: A) => void) => Promise<A>,
    private readonly show: (answer: A, question: Q, isWhole: boolean) => void,
    private readonly fail: (error: unknown, question: Q) => void,
    private readonly pauseMs: number,
  ) {}

  /** Sends a request after a pause in typing; cancels the previous one now. */
  request(question: Q): void {
    this.cancel();
    const number = this.newest;
    this.timer = setTimeout(() => void this.run(question, number), this.pauseMs);
  }

  /** Cancels everything. */
  cancel(): void {
    this.newest += 1;
    clearTimeout(this.timer);
    this.abort?.abort();
    this.abort = undefined;
  }

  private async run(question: Q, number: number, left = 3): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    const isNewest = (): boolean => number === this.newest;
    try {
      const whole = await this.ask(question, abort.signal, (part) => {
        if (isNewest()) {
          this.show(part, question, false);
        }
      });
      if (isNewest()) {
        this.show(whole, question, true);
      }
    } catch (error) {
      if (!isNewest()) {
        return;
      }
      // The server cancels a search when another view searches, or it restarts; this answer is still needed.
      if (PASSING.includes((error as { code?: unknown } | undefined)?.code) && left > 0) {
        this.timer = setTimeout(() => void this.run(question, number, left - 1), AGAIN_MS);
      } else {
        this.fail(error, question);
      }
    }
  }
}

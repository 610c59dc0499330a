// What a caller of the server passes along with a request.

/** The progress of a request. */
export interface WorkDone {
  readonly kind: "begin" | "report" | "end";
  readonly message?: string;
  readonly percentage?: number;
}

/** Options of a request: a signal that cancels it, and receivers of partial answers and progress. */
export interface Listening<A> {
  readonly signal?: AbortSignal;
  readonly onPart?: (part: A) => void;
  readonly onProgress?: (progress: WorkDone) => void;
}

// The messages between the search view's page and the extension.

import type { Kinds } from "../../shared/kinds";
import type { SearchAnswer } from "../../shared/wire";

export interface Question {
  readonly query: string;
  readonly mode: "hybrid" | "keyword" | "vector";
  readonly scope: "vault" | "folder";
  readonly kinds?: Kinds; // absent in a question that was kept by an earlier version
}

export type FromPage =
  | { readonly type: "search"; readonly question: Question }
  | {
      readonly type: "open";
      readonly id: string;
      readonly snippet?: number;
      readonly isAside: boolean;
      readonly keepsFocus: boolean;
    };

export type ToPage =
  | { readonly type: "answer"; readonly query: string; readonly answer: SearchAnswer; readonly isWhole: boolean }
  | { readonly type: "failure"; readonly query: string; readonly message: string };

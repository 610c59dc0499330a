// What is wrong with the server, and what the user can do about it.

import { isOlder } from "../../../shared/version";

export type Problem =
  | { readonly kind: "missing" }
  | { readonly kind: "path"; readonly path: string; readonly reason: string }
  | { readonly kind: "waiting"; readonly waitMs: number }
  | { readonly kind: "crashing"; readonly log: readonly string[] }
  | { readonly kind: "version"; readonly server: string; readonly plugin: string };

/** A card: a heading, sentences, and lines to type in a terminal or to read. */
export interface Advice {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly lines: readonly string[];
}

const INSTALL = ["pipx install .", "uv tool install ."];
const N_LOG = 6;

export function adviceOn(problem: Problem): Advice {
  switch (problem.kind) {
    case "missing":
      return {
        title: "Vaultseek's server was not found",
        sentences: [
          "It is a Python program (3.11 or newer) that runs on this machine. Run one of these lines in a clone of the project:",
          "Then press “Try again”. If the program is elsewhere, set its path in the plugin's settings.",
        ],
        lines: INSTALL,
      };
    case "path":
      return {
        title: "The server's path leads to no program",
        sentences: [`The setting “Path of the server” is “${problem.path}”. ${problem.reason}`, "Correct it, or leave it empty to search the usual folders."],
        lines: [],
      };
    case "waiting":
      return {
        title: "The server ended",
        sentences: [`It starts again in ${problem.waitMs / 1000} s.`],
        lines: [],
      };
    case "crashing":
      return {
        title: "The server ends each time it is started",
        sentences: ["It is not started again until you press “Try again”. Its last lines were:"],
        lines: problem.log.length === 0 ? ["(it printed nothing)"] : problem.log.slice(-N_LOG),
      };
    case "version": {
      const isServerOld = isOlder(problem.server, problem.plugin);
      return {
        title: `Update ${isServerOld ? "the server" : "the plugin"}`,
        sentences: [
          `The server has version ${problem.server}, the plugin ${problem.plugin}. Some features may not work.`,
          isServerOld ? "Run one of these lines in an up-to-date clone of the project:" : "Install the plugin of the server's version.",
        ],
        lines: isServerOld ? ["pipx install --force .", "uv tool install --force ."] : [],
      };
    }
  }
}

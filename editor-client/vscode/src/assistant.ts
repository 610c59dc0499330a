// Offers the open vaults to the editor's own assistant, by the Model Context Protocol, if the user has switched it on.
// An assistant may send what it reads to its maker, so the setting is off by default and no workspace can switch it on.

import * as vscode from "vscode";
import type { Command } from "../../shared/process";
import { messageOf } from "../../shared/text";
import { METHOD_STATUS, type StatusAnswer } from "../../shared/wire";
import type { Server } from "./server/client";
import { locate } from "./server/locate";
import { machine } from "./server/machine";

const PROVIDER = "vaultseek.notes";

/** The settings of the assistant's server. */
export interface Reach {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The part of VS Code's interface that is newer than the oldest version in which this extension runs (1.101). */
interface NewerApi {
  readonly lm?: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: {
        readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
        provideMcpServerDefinitions(): Promise<object[]>;
      },
    ): vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string,
  ) => object;
}

/** Registers the assistant's server; does nothing in an editor that has no such assistants. */
export function offerToAssistants(server: Pick<Server, "request">, version: string, log: (message: string) => void): { dispose(): unknown }[] {
  const api = vscode as NewerApi;
  const Definition = api.McpStdioServerDefinition;
  if (api.lm?.registerMcpServerDefinitionProvider === undefined || Definition === undefined) {
    return [];
  }
  const changed = new vscode.EventEmitter<void>();
  const provide = async (): Promise<object[]> => {
    const settings = vscode.workspace.getConfiguration("vaultseek");
    if (settings.get<boolean>("assistant.enabled") !== true || !vscode.workspace.isTrusted) {
      return [];
    }
    try {
      const { vaults } = await server.request<StatusAnswer>(METHOD_STATUS, {});
      const roots = vaults.filter((vault) => vault.state !== "refused").map((vault) => vscode.Uri.parse(vault.uri, true).fsPath);
      const command = await locate(machine());
      const args = command === undefined ? undefined : argumentsOf(command, roots, reachOf(settings));
      if (command === undefined || args === undefined || roots.length === 0) {
        return [];
      }
      const cache = settings.get<string>("indexFolder") ?? "";
      return [new Definition("Vaultseek: your notes", command.program, args, cache === "" ? {} : { VAULTSEEK_CACHE: cache }, version)];
    } catch (error) {
      log(messageOf(error));
      return [];
    }
  };
  return [
    changed,
    api.lm.registerMcpServerDefinitionProvider(PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: provide,
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      changed.fire();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("vaultseek")) {
        changed.fire();
      }
    }),
  ];
}

function reachOf(settings: vscode.WorkspaceConfiguration): Reach {
  const list = (name: string): readonly string[] => settings.get<string[]>(name) ?? [];
  return { allow: list("assistant.allow"), deny: list("assistant.deny"), include: list("include"), exclude: list("exclude") };
}

/** The arguments of the assistant's server, from those of the language server; undefined if these do not end with `serve`. */
export function argumentsOf(command: Command, roots: readonly string[], reach: Reach): string[] | undefined {
  if (command.args.at(-1) !== "serve") {
    return undefined;
  }
  const options = [
    ...roots.map((root) => ["--vault", root]),
    ...(["allow", "deny", "include", "exclude"] as const).flatMap((name) => reach[name].map((value) => [`--${name}`, value])),
  ];
  return [...command.args.slice(0, -1), "mcp", ...options.flat()];
}

// API keys: kept in VS Code's secret storage and sent to the server with initialize, and nowhere else.

import * as vscode from "vscode";
import { masked } from "./text";

const ENDPOINTS = ["embedding", "chat", "rerank"] as const;

/** The variables that the configured endpoints name, with the keys stored for them. */
export async function storedKeys(secrets: vscode.SecretStorage): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const variable of variables()) {
    const key = await secrets.get(secretName(variable));
    if (key !== undefined) {
      found[variable] = key;
    }
  }
  return found;
}

/** Asks for a key and stores it; returns whether something changed. */
export async function setKey(secrets: vscode.SecretStorage): Promise<boolean> {
  const known = variables();
  if (known.length === 0) {
    const message = "No endpoint with a `keyVariable` is configured: see the settings vaultseek.embedding, vaultseek.chat and vaultseek.rerank.";
    void vscode.window.showInformationMessage(message);
    return false;
  }
  const variable = known.length === 1 ? known[0] : await vscode.window.showQuickPick(known, { title: "Key Variable" });
  if (variable === undefined) {
    return false;
  }
  const key = await vscode.window.showInputBox({
    title: `API key for ${variable}`,
    prompt: "Stored in the system's secret storage. Leave empty to delete it.",
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) {
    return false;
  }
  await (key === "" ? secrets.delete(secretName(variable)) : secrets.store(secretName(variable), key));
  return true;
}

/** The channel for traces of all messages. It masks the keys, which initialize contains. */
export function withoutKeys(channel: vscode.LogOutputChannel, keys: readonly string[]): vscode.LogOutputChannel {
  const trace = (message: string): void => {
    channel.trace(masked(message, keys));
  };
  return new Proxy(channel, {
    get: (target, name): unknown => {
      const value: unknown = name === "trace" ? trace : Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}

function variables(): string[] {
  if (!vscode.workspace.isTrusted) {
    return [];
  }
  const settings = vscode.workspace.getConfiguration("vaultseek");
  const named = ENDPOINTS.map((name) => settings.get<{ keyVariable?: unknown } | null>(name)?.keyVariable);
  return [...new Set(named.filter((name): name is string => typeof name === "string" && /^[A-Za-z_]\w*$/u.test(name)))];
}

function secretName(variable: string): string {
  return `key.${variable}`;
}

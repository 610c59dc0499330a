// The state of a vault, in words.

import type { WireSemantic, WireVault } from "./wire";

/** What a busy vault is doing, in a few words. */
export function progress(vault: WireVault): string {
  const semantic = vault.semantic;
  if (vault.state === "reading" || semantic === undefined) {
    return `Vaultseek: reading, ${vault.pending} notes left`;
  }
  const left = semantic.missing + semantic.missingGists === 0 ? undefined : semantic.secondsLeft;
  const minutes = left === undefined ? "" : `, ${left < 90 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`}`;
  const [done, missing] = semantic.missingGists === 0 ? [semantic.notes, semantic.missing] : [semantic.gists, semantic.missingGists];
  const what = semantic.missingGists === 0 ? "" : " names and openings";
  return `Vaultseek ${done}/${done + missing}${what}${minutes}`;
}

function coverage({ gists, missingGists, notes, missing }: WireSemantic): string {
  return `names and openings: ${gists} of ${gists + missingGists}; whole text: ${notes} of ${notes + missing}`;
}

/** The state of a vault as lines. */
export function details(vault: WireVault): string[] {
  const semantic = vault.semantic;
  return [
    `${vault.name}: ${vault.state}, ${vault.notes} notes, ${vault.openNotes} open${vault.reason === undefined ? "" : `, ${vault.reason}`}`,
    ...(semantic === undefined
      ? []
      : [`  ${semantic.model}: ${coverage(semantic)}, ${semantic.cacheBytes} bytes in ${semantic.folder}`]),
    ...(semantic === undefined || semantic.unreadable === 0
      ? []
      : [`  ${semantic.unreadable} notes in a language or script that ${semantic.model} cannot read`]),
    ...(semantic?.problem === undefined ? [] : [`  ${semantic.problem}`]),
    ...vault.skipped.map(({ note, reason }) => `  skipped: ${note} (${reason})`),
    ...vault.notices.map(({ message }) => `  ${message}`),
  ];
}

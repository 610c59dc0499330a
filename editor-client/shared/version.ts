// Whether a server and a client speak the same protocol, by their versions, and which one is the older.

/** Whether versions speak different protocols: those of 0.x differ by the second number, later ones by the first. */
export function isIncompatible(server: string, client: string): boolean {
  if (server === "unknown") {
    return false; // of a source tree that was never installed
  }
  const [a, b] = [numbers(server), numbers(client)];
  return a[0] !== b[0] || (a[0] === 0 && a[1] !== b[1]);
}

export function isOlder(one: string, other: string): boolean {
  const [a, b] = [numbers(one), numbers(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

function numbers(version: string): [number, number, number] {
  const [a, b, c] = version.split(/[.+-]/u).map((part) => Number.parseInt(part, 10) || 0);
  return [a ?? 0, b ?? 0, c ?? 0];
}

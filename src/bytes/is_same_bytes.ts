/**
 * Whether two arrays hold the same bytes. The time that it takes tells where they differ: never for secrets.
 */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

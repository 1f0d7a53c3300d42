/** Files of derived data with their digests. */
import type { DerivedData, DerivedFile, DerivedRoot } from "../ports/derived_data.ts";

export async function toFile(bytes: Uint8Array<ArrayBuffer>): Promise<DerivedFile> {
  return { digest: await digestOf(bytes), bytes };
}

/**
 * Describes a named file together with the further files whose digests it contains. Each file is listed once.
 *
 * @param named The further files.
 */
export function toRoot(
  name: string,
  { digest, bytes }: DerivedFile,
  named: readonly { readonly digest: string; readonly bytes: number }[] = [],
): DerivedRoot {
  const files = new Map(named.map(({ digest, bytes }) => [digest, bytes])).set(digest, bytes.length);
  return { name, digest, files: [...files].map(([digest, bytes]) => ({ digest, bytes })) };
}

/**
 * Reads the file with a digest. Returns `undefined` when the file is absent or longer than `limitBytes`, or
 * when its bytes have another digest.
 */
export async function readFile(
  derived: DerivedData,
  digest: string,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const bytes = await derived.read(digest, limitBytes);
  if (bytes === undefined || bytes.length > limitBytes) return undefined;
  return await digestOf(bytes) === digest ? bytes : undefined;
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads the derived data that a manifest names. */
import type { DerivedData } from "../../../src/mod.ts";
import { contentKey } from "./keys.ts";
import type { Manifest, PublishedDerivedFile } from "./manifest.ts";

/**
 * Returns the derived data that the current manifest names.
 *
 * @param read Reads the object of a file. Returns `undefined` when the object no longer exists.
 */
export function derivedDataOf(
  manifest: () => Manifest,
  read: (key: string, file: PublishedDerivedFile) => Promise<Uint8Array | undefined>,
): DerivedData {
  return {
    named: (name) => manifest().derived.names.find((one) => one.name === name)?.digest,
    async read(digest, limitBytes) {
      const { rid, derived } = manifest();
      const file = derived.files.find((one) => one.digest === digest);
      if (file === undefined || file.bytes > limitBytes) return undefined;
      if (file.inline !== undefined) return Uint8Array.from(atob(file.inline), (char) => char.charCodeAt(0));
      return file.bytes === 0 ? new Uint8Array() : await read(contentKey(rid, "derived", digest), file);
    },
  };
}

/** Encodes a small file in base64, for storage in a manifest. */
export function inlineOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

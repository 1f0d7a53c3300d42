/** Packing through `node:zlib`, synchronous. All three runtimes have it. */
import { constants, deflateSync } from "node:zlib";

/** Packs bytes into a zlib stream, fast rather than small, as git packs loose objects. */
export function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: constants.Z_BEST_SPEED });
}

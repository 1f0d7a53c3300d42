/** Reads the index of a pack in git's format (`idx` of version 2, gitformat-pack). */
import { DamagedError, type Oid, OID_BYTES, oidFromBytes, viewOf } from "../../../src/mod.ts";

const MAGIC = 0xff744f63;
const VERSION = 2;
const COUNTS_AT = 8;
const OIDS_AT = COUNTS_AT + 256 * 4;
const CHECKSUM_BYTES = 4;
const OFFSET_BYTES = 4;
/** The SHA-1 of the pack, and the SHA-1 of the index before it. */
const END_BYTES = 2 * OID_BYTES;
/** Bit of an offset that does not fit into the other 31 bits. The rest is a position in a further table. */
const LONG_OFFSET = 2 ** 31;

/** An object in a pack. */
export interface PlacedObject {
  readonly oid: Oid;
  /** Offset of the object's entry in the pack. */
  readonly offset: number;
}

/** The index of a pack. */
export interface PackIdx {
  /** The SHA-1 that the pack ends with. */
  readonly packName: Oid;
  /** The objects in ascending order of their ids. */
  readonly objects: readonly PlacedObject[];
}

/** @throws {DamagedError} when the sizes do not fit. The SHA-1 at the end is not checked. */
export function parsePackIdx(idx: Uint8Array): PackIdx {
  const view = viewOf(idx);
  if (idx.length < OIDS_AT + END_BYTES || view.getUint32(0) !== MAGIC || view.getUint32(4) !== VERSION) {
    throw new DamagedError("The index of a pack has another format");
  }
  const count = view.getUint32(OIDS_AT - 4);
  const offsetsAt = OIDS_AT + count * (OID_BYTES + CHECKSUM_BYTES);
  const longAt = offsetsAt + count * OFFSET_BYTES;
  const longBytes = idx.length - longAt - END_BYTES;
  if (longBytes < 0 || longBytes % 8 !== 0) throw new DamagedError("The index of a pack has the wrong size");
  const objects: PlacedObject[] = [];
  for (let row = 0; row < count; row++) {
    const short = view.getUint32(offsetsAt + row * OFFSET_BYTES);
    const longRow = 8 * (short - LONG_OFFSET);
    if (longRow >= longBytes) throw new DamagedError("The index of a pack lacks an offset");
    const offset = short < LONG_OFFSET ? short : Number(view.getBigUint64(longAt + longRow));
    objects.push({ oid: oidFromBytes(idx, OIDS_AT + row * OID_BYTES), offset });
  }
  return { packName: oidFromBytes(idx, idx.length - END_BYTES), objects };
}

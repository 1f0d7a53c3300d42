/**
 * Unpacks large blocks in time slices, one at a time, because each takes memory of several times its size.
 */
import { TimeSlices } from "../../async/time_slices.ts";
import type { Block } from "../../published/block.ts";
import type { PackHead } from "../../published/block_pack.ts";
import { checkPackedSize, unpackSlowly } from "../home/unpack.ts";

/** The queue of large blocks. */
export class SlowBlocks {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws {DamagedError} when it is not the block of this pack. */
  unpack(head: PackHead, block: number, packed: Uint8Array): Promise<Block> {
    const unpacked = this.#last.then(async () => {
      const slices = new TimeSlices();
      const rawBytes = head.rawBytes(block);
      checkPackedSize(packed.length, rawBytes);
      const raw = await slices.run(() => unpackSlowly(packed, rawBytes, slices));
      return head.unpackedBlock(block, raw);
    });
    this.#last = unpacked.catch(() => {});
    return unpacked;
  }
}

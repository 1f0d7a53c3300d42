/**
 * Unpacks large blocks in time slices, one at a time, because each takes memory of several times its size.
 */
import { TimeSlices } from "../../scheduling/time_slices.ts";
import type { Block } from "../format/block.ts";
import type { PackHead } from "../format/block_pack.ts";
import { checkPackedSize, unpackSlowly } from "../../storage/home/unpack.ts";

/** The queue of large blocks. */
export class SlowBlocks {
  #last: Promise<unknown> = Promise.resolve();

  /** @throws {DamagedError} when it is not the block of this pack. */
  unpack(head: PackHead, block: number, packed: Uint8Array): Promise<Block> {
    const unpacked = this.#last.then(async () => {
      const slices = new TimeSlices();
      const inflatedBytes = head.inflatedBytes(block);
      checkPackedSize(packed.length, inflatedBytes);
      const inflated = await slices.run(() => unpackSlowly(packed, inflatedBytes, slices));
      return head.inflatedBlock(block, inflated);
    });
    this.#last = unpacked.catch(() => {});
    return unpacked;
  }
}

/**
 * A prefix filter: the set of the first 16 bits of the public keys of some nodes. It excludes most nodes that
 * a list does not contain.
 */
import { firstWhere, nidToPublicKey, type NodeId } from "../../../src/mod.ts";

/** Encodes a prefix filter as base64, in ascending order and without duplicates. */
export function encodeNodeStarts(nodes: Iterable<NodeId>): string {
  const starts = new Set([...nodes].map(startOfNode));
  return btoa(
    [...starts].sort((a, b) => a - b).map((start) => String.fromCharCode(start >> 8, start & 255)).join(""),
  );
}

/** A decoded prefix filter. */
export class PrefixFilter {
  readonly #starts: Uint16Array;

  /** @param text Text from {@link encodeNodeStarts}. */
  constructor(text: string) {
    const bytes = atob(text);
    const start = (_: unknown, i: number) => bytes.charCodeAt(2 * i) << 8 | bytes.charCodeAt(2 * i + 1);
    this.#starts = Uint16Array.from({ length: bytes.length / 2 }, start);
  }

  /** Checks whether the list may have this node. */
  mayHaveNode(nid: NodeId): boolean {
    const starts = this.#starts;
    const wanted = startOfNode(nid);
    return starts[firstWhere(starts.length, (at) => starts[at]! >= wanted)] === wanted;
  }
}

function startOfNode(nid: NodeId): number {
  const [high, low] = nidToPublicKey(nid) as unknown as readonly [number, number];
  return high << 8 | low;
}

/** A prefix filter: a set of the first bytes of ids. It excludes most ids that a list does not contain. */
import { firstWhere, nidToPublicKey, type NodeId, type Oid } from "../../../src/mod.ts";

/** Number of hexadecimal digits of a prefix. */
const START_DIGITS = 4;

/** Encodes prefixes, which are numbers of 16 bits, as base64, in ascending order and without duplicates. */
function encodeStarts(starts: Iterable<number>): string {
  return btoa(
    [...new Set(starts)].sort((a, b) => a - b)
      .map((start) => String.fromCharCode(start >> 8, start & 255)).join(""),
  );
}

/** Encodes a prefix filter with the first 16 bits of object ids. */
export function encodePrefixFilter(oids: Iterable<Oid>): string {
  return encodeStarts([...oids].map(startOf));
}

/** Encodes a prefix filter with the first 16 bits of the public keys of nodes. */
export function encodeNodeStarts(nodes: Iterable<NodeId>): string {
  return encodeStarts([...nodes].map(startOfNode));
}

/** A decoded prefix filter of the objects of a pack, or of the nodes of a list. */
export class PrefixFilter {
  readonly #starts: Uint16Array;

  /** @param text Text from {@link encodePrefixFilter} or {@link encodeNodeStarts}. */
  constructor(text: string) {
    const bytes = atob(text);
    const start = (_: unknown, i: number) => bytes.charCodeAt(2 * i) << 8 | bytes.charCodeAt(2 * i + 1);
    this.#starts = Uint16Array.from({ length: bytes.length / 2 }, start);
  }

  /** Checks whether the pack may have an object with this id. */
  mayHave(oid: Oid): boolean {
    return this.#has(startOf(oid));
  }

  /** Checks whether the list may have this node. */
  mayHaveNode(nid: NodeId): boolean {
    return this.#has(startOfNode(nid));
  }

  #has(wanted: number): boolean {
    const starts = this.#starts;
    return starts[firstWhere(starts.length, (at) => starts[at]! >= wanted)] === wanted;
  }
}

function startOf(oid: Oid): number {
  return parseInt(oid.slice(0, START_DIGITS), 16);
}

function startOfNode(nid: NodeId): number {
  const [high, low] = nidToPublicKey(nid) as unknown as readonly [number, number];
  return high << 8 | low;
}

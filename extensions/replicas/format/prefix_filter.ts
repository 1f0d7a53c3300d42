/** Prefix filter: rejects most absent ids by their first bytes. */
import { firstWhere, nidToPublicKey, type NodeId, type Oid } from "../../../src/mod.ts";

/** Hexadecimal digits of a prefix. */
const START_DIGITS = 4;

/** Encodes prefixes, numbers of 16 bits, as base64: in ascending order, each once. */
function encodeStarts(starts: Iterable<number>): string {
  return btoa(
    [...new Set(starts)].sort((a, b) => a - b)
      .map((start) => String.fromCharCode(start >> 8, start & 255)).join(""),
  );
}

/** Encodes the first 16 bits of the ids of objects. */
export function encodePrefixFilter(oids: Iterable<Oid>): string {
  return encodeStarts([...oids].map(startOf));
}

/** Encodes the first 16 bits of the public keys of nodes. */
export function encodeNodeStarts(nodes: Iterable<NodeId>): string {
  return encodeStarts([...nodes].map(startOfNode));
}

/** The prefixes of the ids of a pack, or of the nodes of a list. */
export class PrefixFilter {
  readonly #starts: Uint16Array;

  /** @param text As from {@link encodePrefixFilter} or {@link encodeNodeStarts}. */
  constructor(text: string) {
    const bytes = atob(text);
    const start = (_: unknown, i: number) => bytes.charCodeAt(2 * i) << 8 | bytes.charCodeAt(2 * i + 1);
    this.#starts = Uint16Array.from({ length: bytes.length / 2 }, start);
  }

  /** Whether an object with this id may be among them. */
  mayHave(oid: Oid): boolean {
    return this.#has(startOf(oid));
  }

  /** Whether a node may be among them. */
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

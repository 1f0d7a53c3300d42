/** The parts of an entry before they become git objects, and the ways in which they can be odd. */
import type { Oid } from "../../../src/ids/oid.ts";
import type { NodeId } from "../../../src/ids/nid.ts";

/** Somebody who signs. */
export interface Key {
  readonly nid: NodeId;
  readonly publicKey: Uint8Array;
  /** The secret, 32 bytes. */
  readonly seed: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** What entries refer to. */
export interface Surroundings {
  readonly keys: readonly Key[];
  /** Commits that patches can be made of. */
  readonly commits: readonly Oid[];
  /** Identity commits by the names of their documents. */
  readonly documents: ReadonlyMap<string, Oid>;
  /** Documents of identities as JSON, by number; the first one is that of the repository. */
  readonly identities: readonly string[];
  readonly blob: Oid;
  readonly tree: Oid;
}

/** Stands for a byte that is no UTF-8. */
export const BAD_BYTE = "\ue000";

/** A file in the tree of an entry; without text its object is missing. Where the mode is that of a folder, the text is the one file of it. */
export interface RawFile {
  readonly mode: string;
  readonly text: string | undefined;
}

/** The members of a signature's container. */
export interface RawSignature {
  keyType: string;
  publicKey: Uint8Array;
  namespace: string;
  reserved: string;
  hash: string;
  signatureType: string;
  signature: Uint8Array;
  version: number;
  /** Characters of base64 on a line. */
  columns: number;
  /** Bytes after the end. */
  rest: number[];
}

/** The parts of a commit's text. */
export interface RawCommit {
  tree: string;
  parents: string[];
  author: string | undefined;
  committer: string | undefined;
  /** Header lines before those of the signature. */
  before: string[];
  signatures: string[];
  /** Header lines after those of the signature. */
  after: string[];
  title: string;
  trailers: string[];
  /** Between the title and the trailers' paragraph. */
  end: string;
}

/** One way to be odd. */
export interface Oddity {
  readonly files?: (files: Map<string, RawFile>, around: Surroundings) => void;
  readonly signature?: (signature: RawSignature, around: Surroundings & { tree: Oid; key: Key }) => void;
  readonly armour?: (armour: string) => string;
  readonly commit?: (commit: RawCommit, around: Surroundings & { key: Key }) => void;
  readonly text?: (text: string) => string;
  /** Whether `rad` ends with a panic where it has to show the time of such an entry: its actions must be such that show none. */
  readonly isTimeless?: true;
}

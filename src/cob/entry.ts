/** One signed change of an object: a commit that holds actions, and what a reader needs of it. */
import * as v from "valibot";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { entryKind, parseTree } from "../git/tree.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { OidText } from "./fields.ts";
import { parseSshSignature, SSH_SIGNATURE_BEGIN, type SshSignature } from "./ssh_signature.ts";
import { parseTrailers } from "./trailers.ts";

/** An entry whose actions are of type `A`. */
export interface Entry<A> {
  readonly id: Oid;
  /** The node whose key signed it; names in the commit are never looked at. */
  readonly author: NodeId;
  /** Committer time, seconds since the epoch. */
  readonly timeSeconds: number;
  /** The entries of the object that it was written on top of. */
  readonly parents: readonly Oid[];
  /** The identity commit that its author saw; only identity entries have none. */
  readonly resource: Oid | undefined;
  /** Whether the signature is that of the author; verified while others are read already. Never rejects. */
  readonly isAuthentic: Promise<boolean>;
  /** What it does, in order; `undefined` when one of the actions cannot be understood. */
  readonly actions: readonly A[] | undefined;
}

/** What the commit of an entry says. */
export interface EntryCommit extends SshSignature {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly resource: Oid | undefined;
  readonly timeSeconds: number;
}

/** What the tree of an entry holds. */
export interface EntryTree {
  readonly manifest: Oid;
  /** Blobs of the actions, in order. */
  readonly actions: readonly Oid[];
}

/** Largest commit that is taken for an entry, in bytes; real ones have less than a thousand, and 48 for each branch that they join. */
export const MAX_ENTRY_COMMIT_BYTES = 256 * 1024;
/** Largest tree that is taken for one of an entry, in bytes. */
export const MAX_ENTRY_TREE_BYTES = 256 * 1024;
/** Largest sum of an entry's actions, in bytes: twice the largest request that could have made them. */
export const MAX_ACTION_BYTES = 8 * 1024 * 1024;

const RESOURCE = "Rad-Resource";
const RELATED = "Rad-Related";
const Manifest = v.object({
  typeName: v.string(),
  version: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const latin1 = new TextDecoder("latin1");

/**
 * Reads the commit of an entry.
 *
 * @throws {DamagedError} when it is none: not UTF-8, a trailer that is no object id, no signature or several, no SSH signature of Ed25519.
 */
export function parseEntryCommit(bytes: Uint8Array): EntryCommit {
  if (bytes.length > MAX_ENTRY_COMMIT_BYTES) throw new DamagedError("The commit of an entry is too large");
  const { tree, parents, timeSeconds } = parseCommitHeader(bytes);
  const text = decodeText(bytes);
  const split = text.indexOf("\n\n");
  if (split < 0) throw new DamagedError("The commit of an entry has no message");
  const [resources, related] = readLinks(text.slice(split + 2));
  if (resources.length > 1) throw new DamagedError("An entry has several resources");
  const links = new Set([...resources, ...related]);
  return {
    tree,
    parents: parents.filter((parent) => !links.has(parent)),
    resource: resources[0],
    timeSeconds,
    ...readSignature(text.slice(0, split)),
  };
}

/**
 * Finds the manifest and the actions in the tree of an entry: an action's name is a number of eight bits with sign, whatever else is there is ignored.
 *
 * @throws {DamagedError} when there is no manifest or no action.
 */
export function parseEntryTree(bytes: Uint8Array): EntryTree {
  if (bytes.length > MAX_ENTRY_TREE_BYTES) throw new DamagedError("The tree of an entry is too large");
  const actions = new Map<number, Oid>();
  let manifest: Oid | undefined;
  for (const { mode, name, oid } of parseTree(bytes)) {
    const kind = entryKind(mode);
    if (kind === "tree" || kind === "commit") continue;
    const text = latin1.decode(name);
    if (text === "manifest") manifest = oid;
    const number = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
    if (number >= -128 && number <= 127) actions.set(number, oid);
  }
  if (manifest === undefined || actions.size === 0) {
    throw new DamagedError("An entry has no manifest or no action");
  }
  return { manifest, actions: [...actions].sort(([a], [b]) => a - b).map(([, oid]) => oid) };
}

/**
 * Checks a manifest. Neither its type nor its version is compared with anything, as in the real programs.
 *
 * @throws {DamagedError} when it is none.
 */
export function checkManifest(bytes: Uint8Array): void {
  const value = parseJson(bytes);
  const members = typeof value === "object" && value !== null && "typename" in value
    ? { typeName: value.typename, ...value }
    : value;
  if (!v.is(Manifest, members)) throw new DamagedError("The manifest of an entry is none");
}

/** The JSON value of an action; `undefined` when it is no JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes));
  } catch {
    return undefined;
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new DamagedError("The commit of an entry is not UTF-8");
  }
}

/** The resources and the related commits; every trailer must hold an object id, whatever its name. */
function readLinks(message: string): [resources: Oid[], related: Oid[]] {
  const [resources, related]: [Oid[], Oid[]] = [[], []];
  for (const { token, value } of parseTrailers(message)) {
    const oid = v.safeParse(OidText, value);
    if (!oid.success) throw new DamagedError("A trailer of an entry is no object id");
    if (token === RESOURCE) resources.push(oid.output);
    if (token === RELATED) related.push(oid.output);
  }
  return [resources, related];
}

/** The one SSH signature; a key may have signed twice, then the last one counts. */
function readSignature(header: string): SshSignature {
  const armors = [...header.matchAll(/\ngpgsig (.*(?:\n .*)*)/g)].map((found) =>
    (found[1] ?? "").replaceAll("\n ", "\n")
  )
    .filter((armor) => armor.startsWith(`${SSH_SIGNATURE_BEGIN}\n`));
  const signatures = armors.map(parseSshSignature);
  const last = signatures.at(-1);
  const keys = new Set(signatures.map((signature) => signature?.publicKey.join()));
  if (last === undefined || keys.size > 1) throw new DamagedError("An entry has no signature, or several");
  return last;
}

/** Entries of objects, made as the real programs make them or, where a test wants it, otherwise. */
import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { base64 } from "@scure/base";
import { canonicalJson } from "../../src/cob/write/canonical_json.ts";
import { formatNid, type NodeId } from "../../src/ids/nid.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { type Folder, putTree } from "../support/world.ts";

ed25519.hashes.sha512 = sha512;

/** When entries are written if nothing else is said, seconds. */
export const ENTRY_SECONDS = 1671125284;

/** Somebody who writes entries. */
export interface Writer {
  readonly nid: NodeId;
  readonly publicKey: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** A writer of a secret seed; a number stands for 32 times the same byte. */
export function createWriter(secret: number | Uint8Array): Writer {
  const seed = typeof secret === "number" ? new Uint8Array(32).fill(secret) : secret;
  const publicKey = ed25519.getPublicKey(seed);
  return { nid: formatNid(publicKey), publicKey, sign: (bytes) => ed25519.sign(bytes, seed) };
}

/** What an entry is made of. */
export interface EntryDraft {
  readonly writer: Writer;
  /** `xyz.radicle.issue` if not given. */
  readonly type?: string;
  readonly actions: readonly unknown[];
  readonly parents?: readonly Oid[];
  readonly resource?: Oid | undefined;
  readonly related?: readonly Oid[];
  readonly timeSeconds?: number;
  /** Replaces what is in the tree. */
  readonly folder?: Folder;
  /** Replaces the message, trailers included. */
  readonly message?: string;
  /** Replace the values of the header's author and committer. */
  readonly author?: string;
  readonly committer?: string;
  /** Replaces the lines of the header after the committer's, each with its line feed. */
  readonly signatureLines?: string;
}

/** Puts an entry. */
export function putEntry(repository: Pick<MemoryRepository, "put">, draft: EntryDraft): Oid {
  const { writer, actions, parents = [], resource, related = [], timeSeconds = ENTRY_SECONDS } = draft;
  const tree = putTree(repository, {
    manifest: JSON.stringify({ typeName: draft.type ?? "xyz.radicle.issue", version: 1 }),
    ...Object.fromEntries(actions.map((action, i) => [String(i), canonicalJson(action)])),
    ...draft.folder,
  });
  const links = [
    ...related.map((oid) => `Rad-Related: ${oid}\n`),
    ...(resource ? [`Rad-Resource: ${resource}\n`] : []),
  ];
  const person = `someone <someone@${writer.nid}> ${timeSeconds} +0000`;
  const header = [
    `tree ${tree}\n`,
    ...[...parents, ...related, ...(resource ? [resource] : [])].map((oid) => `parent ${oid}\n`),
    `author ${draft.author ?? person}\ncommitter ${draft.committer ?? person}\n`,
    draft.signatureLines ?? signatureLines(writer.publicKey, writer.sign(oidToBytes(tree))),
  ];
  const message = draft.message ?? `Change\n${links.length > 0 ? `\n${links.join("")}` : ""}`;
  return repository.put("commit", new TextEncoder().encode(`${header.join("")}\n${message}`));
}

/** Lets a node's reference of an object point to an entry. */
export function setTip(
  repository: MemoryRepository,
  node: NodeId,
  object: Oid,
  entry: Oid,
  type = "xyz.radicle.issue",
): void {
  repository.setRef(`refs/namespaces/${node}/refs/cobs/${type}/${object}`, entry);
}

/** The header of a commit that carries a signature. */
export function signatureLines(publicKey: Uint8Array, signature: Uint8Array): string {
  const text = (value: string) => field(new TextEncoder().encode(value));
  const container = [
    ...new TextEncoder().encode("SSHSIG"),
    ...number(1),
    ...field([...text("ssh-ed25519"), ...field(publicKey)]),
    ...text("radicle"),
    ...text(""),
    ...text("sha256"),
    ...field([...text("ssh-ed25519"), ...field(signature)]),
  ];
  const lines = base64.encode(Uint8Array.from(container)).match(/.{1,70}/g) ?? [];
  return `gpgsig ${["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----"].join("\n ")}\n`;
}

function number(value: number): number[] {
  return [value >> 24 & 255, value >> 16 & 255, value >> 8 & 255, value & 255];
}

function field(bytes: Iterable<number>): number[] {
  const content = [...bytes];
  return [...number(content.length), ...content];
}

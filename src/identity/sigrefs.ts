/** Signed references: what a node says its branches are, in a signed commit of its namespace. */
import { LruMap } from "../cache/lru_map.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";
import { ridToOid } from "../ids/rid.ts";
import type { Repository } from "../ports/storage.ts";
import { compareUtf8 } from "../text/compare_utf8.ts";
import { verifyEd25519 } from "./ed25519.ts";

/** References of a namespace, name without namespace → id, in ascending bytewise order of the names. */
export type SignedRefs = ReadonlyMap<string, Oid>;

/** A line of that name repeats the parent of the signing commit; it is no reference. */
export const SIGREFS_PARENT = "refs/rad/sigrefs-parent";
const IDENTITY_ROOT = "refs/rad/root";
const REMEMBERED_SIGREFS = 4096;
const DOC_PATH = splitPath("embeds/radicle.json");

/** Signed references verified so far, by node and signing commit. */
export type SigrefsCache = LruMap<string, SignedRefs>;

/** An empty cache of signed references. */
export function createSigrefsCache(): SigrefsCache {
  return new LruMap(REMEMBERED_SIGREFS);
}

/** The reference that holds a node's signed references. */
export function sigrefsRef(nid: NodeId): string {
  return `refs/namespaces/${nid}/refs/rad/sigrefs`;
}

/**
 * A node's signed references; `undefined` when it has none.
 *
 * @throws {DamagedError} when their signature does not verify, or they belong to another repository.
 */
export async function readSigrefs(
  repository: Repository,
  nid: NodeId,
  cache: SigrefsCache,
): Promise<SignedRefs | undefined> {
  const ref = await resolveRef(repository, sigrefsRef(nid));
  if (ref === undefined) return undefined;
  const key = `${repository.rid} ${nid} ${ref.oid}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const refs = await verifySigrefs(repository, nid, ref.oid);
  cache.set(key, refs);
  return refs;
}

/** The text that is signed: `<oid> <name>` and a line feed for each, ascending by the bytes of the names. */
export function formatSigrefs(refs: Iterable<readonly [string, Oid]>): string {
  return [...refs].sort(([a], [b]) => compareUtf8(a, b)).map(([name, oid]) => `${oid} ${name}\n`).join("");
}

/**
 * The references in a signed text. As lenient as the real programs: either line end, ids of any length, later lines replace earlier ones.
 *
 * @throws {DamagedError} when a line is no reference.
 */
export function parseSigrefs(text: string): Map<string, Oid> {
  const refs = new Map<string, Oid>();
  for (const line of text.split(/\r?\n/)) {
    if (line === "") continue;
    const [, digits = "", name = ""] = /^([0-9a-fA-F]{1,40}) (.*)$/.exec(line) ?? [];
    if (!isRefname(name)) throw new DamagedError("A line of signed references is none");
    const oid = digits.toLowerCase().padEnd(40, "0") as Oid;
    if (!/^0+$/.test(oid)) refs.set(name, oid);
  }
  return new Map([...refs].sort(([a], [b]) => compareUtf8(a, b)));
}

async function verifySigrefs(repository: Repository, nid: NodeId, commit: Oid): Promise<SignedRefs> {
  const object = await repository.object(commit);
  if (object?.kind !== "commit") throw new DamagedError("Signed references are no commit");
  const { tree } = parseCommitHeader(object.bytes);
  const text = await readBlob(repository, tree, "refs");
  const signature = await readBlob(repository, tree, "signature");
  const refs = parseSigrefs(new TextDecoder().decode(text));
  const publicKey = nidToPublicKey(nid);
  const encoded = new TextEncoder().encode(formatSigrefs(refs));
  const isSigned = await verifyEd25519(publicKey, new Uint8Array(text), new Uint8Array(signature)) ||
    await verifyEd25519(publicKey, encoded, new Uint8Array(signature));
  if (!isSigned) throw new DamagedError("The signature of signed references does not verify");
  const root = refs.get(IDENTITY_ROOT);
  if (root !== undefined) await checkRoot(repository, root);
  refs.delete(SIGREFS_PARENT);
  return refs;
}

/** Programs from 1.1 on sign the identity's root: its document names the repository. */
async function checkRoot(repository: Repository, root: Oid): Promise<void> {
  const object = await repository.object(root);
  const entry = object?.kind === "commit"
    ? await findPath(repository, parseCommitHeader(object.bytes).tree, DOC_PATH)
    : undefined;
  if (entry?.oid !== ridToOid(repository.rid)) {
    throw new DamagedError("Signed references belong to another repository");
  }
}

async function readBlob(repository: Repository, tree: Oid, name: string): Promise<Uint8Array> {
  const entry = await findPath(repository, tree, splitPath(name));
  const blob = entry === undefined ? undefined : await repository.object(entry.oid);
  if (blob?.kind !== "blob") throw new DamagedError(`Signed references without a ${name}`);
  return blob.bytes;
}

/** Signed references: a node's signed list of its references, in a commit of its namespace. */
import { isSameBytes } from "../bytes/is_same_bytes.ts";
import { joinBytes } from "../bytes/join.ts";
import { releaseBytes } from "../bytes/release.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { findPath, readFile, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";
import { ridToOid } from "../ids/rid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import { compareUtf8 } from "../text/compare_utf8.ts";
import { sortInSlices } from "../async/sort_in_slices.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { createVerdictCache, readVerdicts, type VerdictCache } from "./verdicts.ts";

/** References of a namespace: name without namespace → id, in bytewise order of the names. */
export type SignedRefs = ReadonlyMap<string, Oid>;

/** The line with this name repeats the parent of the signing commit; it is not a reference. */
export const SIGREFS_PARENT = "refs/rad/sigrefs-parent";
const IDENTITY_ROOT = "refs/rad/root";
/**
 * Approximate memory of a cached reference, in bytes; a node counts as many references as it signs, at least
 * {@link LEAST_REFS}.
 */
export const SIGNED_REF_BYTES = 200;
const LEAST_REFS = 64;
/** Lines or references processed in one step: below a millisecond. */
const LINES_AT_ONCE = 512;
const DOC_PATH = splitPath("embeds/radicle.json");

/** Caches of signed references. */
export interface SigrefsCache {
  /** Verified ones, or the reason for refusing them, by repository, node and signing commit. */
  readonly refs: LruMap<string, SignedRefs | string>;
  /** Verdicts of others. */
  readonly verdicts: VerdictCache;
}

/**
 * Creates an empty cache of signed references.
 *
 * @param verdicts An own cache by default.
 */
export function createSigrefsCache(
  memory: Memory = new Memory(),
  verdicts: VerdictCache = createVerdictCache(memory),
): SigrefsCache {
  const refs = memory.map<string, SignedRefs | string>(
    "signedRefs",
    (found) => SIGNED_REF_BYTES * (typeof found === "string" ? LEAST_REFS : Math.max(found.size, LEAST_REFS)),
  );
  return { refs, verdicts };
}

/** Name of the reference to a node's signed references. */
export function sigrefsRef(nid: NodeId): string {
  return `refs/namespaces/${nid}/refs/rad/sigrefs`;
}

/**
 * Reads a node's signed references; `undefined` when it has none.
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
  const cached = cache.refs.get(key);
  if (typeof cached === "string") throw new DamagedError(cached);
  if (cached !== undefined) return cached;
  try {
    const verdicts = await readVerdicts(repository, cache.verdicts);
    const isVerified = verdicts?.signed.get(nid) === ref.oid;
    const refs = await verifySigrefs(repository, nid, ref.oid, isVerified);
    cache.refs.set(key, refs);
    return refs;
  } catch (error) {
    if (error instanceof WrongSigrefs) cache.refs.set(key, error.message);
    throw error;
  }
}

/** Signed references that are present and invalid, for ever. */
class WrongSigrefs extends DamagedError {}

/**
 * Formats the text to sign: `<oid> <name>` and a line feed for each reference, in bytewise order of the
 * names.
 */
export function formatSigrefs(refs: Iterable<readonly [string, Oid]>): string {
  return [...refs].sort(([a], [b]) => compareUtf8(a, b)).map(([name, oid]) => `${oid} ${name}\n`).join("");
}

/**
 * Parses a signed text. It is as lenient as the real programs: either line ending, ids of any length, later
 * lines replace earlier ones. Yields in between.
 *
 * @throws {DamagedError} when a line is not a reference.
 */
export async function parseSigrefs(
  text: string,
  slices: TimeSlices = new TimeSlices(),
): Promise<Map<string, Oid>> {
  const refs = new Map<string, Oid>();
  let isSorted = true;
  let last = "";
  for (let start = 0, end = 0, count = 0; start < text.length; start = end + 1) {
    if (++count % LINES_AT_ONCE === 0) await slices.next();
    end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    const line = text.slice(
      start,
      end > start && text[end - 1] === "\r" && end < text.length ? end - 1 : end,
    );
    if (line === "") continue;
    const [, digits = "", name = ""] = /^([0-9a-fA-F]{1,40}) (.*)$/.exec(line) ?? [];
    if (!isRefname(name)) throw new WrongSigrefs("A line of signed references is none");
    const oid = digits.toLowerCase().padEnd(40, "0") as Oid;
    if (/^0+$/.test(oid)) continue;
    isSorted &&= compareUtf8(last, name) < 0;
    last = name;
    refs.set(name, oid);
  }
  return isSorted ? refs : await sortRefs(refs, slices);
}

/** Sorts references by name. */
async function sortRefs(refs: ReadonlyMap<string, Oid>, slices: TimeSlices): Promise<Map<string, Oid>> {
  const sorted = new Map<string, Oid>();
  for (const name of await sortInSlices([...refs.keys()], compareUtf8, slices)) {
    sorted.set(name, refs.get(name)!);
    if (sorted.size % LINES_AT_ONCE === 0) await slices.next();
  }
  return sorted;
}

/**
 * Reads the signed references of a commit.
 *
 * @param isVerified Whether they are known to verify.
 * @throws {DamagedError} when they do not.
 */
export async function verifySigrefs(
  repository: Repository,
  nid: NodeId,
  commit: Oid,
  isVerified = false,
): Promise<SignedRefs> {
  const slices = new TimeSlices();
  const object = await repository.object(commit);
  if (object?.kind !== "commit") throw new DamagedError("Signed references are not a commit");
  const { tree } = parseCommitHeader(object.bytes);
  const text = await requireFile(repository, tree, "refs");
  const signature = isVerified ? undefined : await requireFile(repository, tree, "signature");
  const refs = await parseSigrefs(new TextDecoder().decode(text.bytes), slices);
  const isSigned = signature === undefined ||
    await isSignedBy(nidToPublicKey(nid), text.bytes, refs, new Uint8Array(signature.bytes), slices);
  text.release?.();
  if (!isSigned) throw new WrongSigrefs("The signature of signed references does not verify");
  const root = isVerified ? undefined : refs.get(IDENTITY_ROOT);
  if (root !== undefined) await checkRoot(repository, root);
  refs.delete(SIGREFS_PARENT);
  return refs;
}

/** Whether a signature is of the text, or of its references in the form of {@link formatSigrefs}. */
async function isSignedBy(
  publicKey: Uint8Array<ArrayBuffer>,
  text: Uint8Array,
  refs: ReadonlyMap<string, Oid>,
  signature: Uint8Array<ArrayBuffer>,
  slices: TimeSlices,
): Promise<boolean> {
  // The text may have megabytes: it is not copied.
  const signed = text.buffer instanceof ArrayBuffer ? text as Uint8Array<ArrayBuffer> : new Uint8Array(text);
  if (await verifyEd25519(publicKey, signed, signature)) return true;
  const sorted = await encodeSorted(refs, text, slices);
  if (sorted === undefined) return false;
  const isSigned = await verifyEd25519(publicKey, sorted, signature);
  releaseBytes(sorted);
  return isSigned;
}

/** Encodes sorted references like {@link formatSigrefs}; `undefined` if the result is `text`. */
async function encodeSorted(
  refs: ReadonlyMap<string, Oid>,
  text: Uint8Array,
  slices: TimeSlices,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lines = "";
  let [count, length] = [0, 0];
  const flush = () => {
    const part = new TextEncoder().encode(lines);
    lines = "";
    const start = length;
    length += part.length;
    // Equal parts are not held: those of a text of megabytes are as many.
    if (parts.length > 0 || !isSameBytes(part, text.subarray(start, length))) {
      if (parts.length === 0) parts.push(new Uint8Array(text.subarray(0, start)));
      parts.push(part);
    }
  };
  for (const [name, oid] of refs) {
    lines += `${oid} ${name}\n`;
    if (++count % LINES_AT_ONCE !== 0) continue;
    flush();
    await slices.next();
  }
  flush();
  if (parts.length > 0) return joinBytes(parts);
  return length === text.length ? undefined : new Uint8Array(text.subarray(0, length));
}

/**
 * Checks the signed identity root, which programs since 1.1 write: its document determines the repository.
 */
async function checkRoot(repository: Repository, root: Oid): Promise<void> {
  const object = await repository.object(root);
  const entry = object?.kind === "commit"
    ? await findPath(repository, parseCommitHeader(object.bytes).tree, DOC_PATH)
    : undefined;
  if (entry?.oid !== ridToOid(repository.rid)) {
    throw new DamagedError("Signed references belong to another repository");
  }
}

async function requireFile(repository: Repository, tree: Oid, name: string): Promise<GitObject> {
  const file = await readFile(repository, tree, name);
  if (file === undefined) throw new DamagedError(`Signed references without a ${name}`);
  return file;
}

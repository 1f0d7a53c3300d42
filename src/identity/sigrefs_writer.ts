/**
 * Signs the references of the local node in the format of the generation of the home, so that other nodes
 * accept them.
 */
import { isSameBytes } from "../bytes/bytes.ts";
import { DamagedError } from "../errors.ts";
import { encodeCommit, encodeTree, ObjectBatch } from "../git/encode.ts";
import { resolveRefs } from "../git/references.ts";
import { MODE } from "../git/tree.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";
import type { Signer } from "../ports/signer.ts";
import type { GitObject, WritableRepository } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { signVerified, verifyEd25519 } from "../keys/ed25519.ts";
import type { HomeGeneration } from "./generation.ts";
import { findIdentityRoot, isIdentityRoot } from "./identity.ts";
import { sigrefsRef } from "./sigrefs.ts";
import {
  createSigrefsHistory,
  readSigrefsTraits,
  readStoredSigrefs,
  type SigrefsHistory,
  type StoredSigrefs,
} from "./sigrefs_history.ts";
import { formatSigrefs, IDENTITY_ROOT, SIGREFS, SIGREFS_PARENT } from "./sigrefs_text.ts";
import { Task } from "../scheduling/task.ts";

/** Maximum number of attempts. An attempt fails if another process signs the references at the same time. */
export const MAX_SIGN_ATTEMPTS = 20;

/** Matches the names of references that are signed by Radicle programs older than the newest generation. */
const OLDER_KINDS = /^refs\/(heads|tags|notes|rad|cobs)\/./;
/**
 * The newest Radicle programs sign all references except references below this name. Such references exist
 * only while a patch is created.
 */
const UNSIGNED = "refs/tmp/heads/";
const QUALIFIED = /^refs\/[^/]+\/./;
/** An id that consists of zeros means that there is no object. */
const NO_OBJECT = /^0+$/;

export interface SignRefsOptions {
  /** Id of the local node. Only its namespace is changed. */
  readonly nid: NodeId;
  /** The key of the local node. */
  readonly signer: Signer;
  /** Time of the commit, in seconds since the Unix epoch. */
  readonly timeSeconds: number;
  readonly generation: HomeGeneration;
  /**
   * Cache that later calls reuse. Without this cache, each call in a home of an older generation reads all
   * commits of signed references.
   */
  readonly history?: SigrefsHistory;
}

/**
 * Signs the current references of the node in a new commit, whose parent is the last commit. If the last
 * commit is up to date, nothing is written. References whose target does not exist are left out.
 *
 * The lines `refs/rad/root` and `refs/rad/sigrefs-parent`, and drafts, are signed in a home of the newest
 * generation, and in every home where they were signed before, because other nodes would treat a later commit
 * without these lines as an attack. In a home of 1.1, `refs/rad/root` is always signed. In all other homes
 * these lines are not signed, because the older programs of the home would omit them in the next commit.
 *
 * @returns The commit of the current signed references of the node.
 * @throws {UnauthorizedError} when the key cannot be used.
 * @throws {DamagedError} when other nodes would refuse the result, because the root of the identity is
 *   missing or belongs to another repository, or the last commit is missing.
 * @throws {WriteError} when other processes sign again and again, or the storage cannot be written.
 */
export async function signRefs(repository: WritableRepository, options: SignRefsOptions): Promise<Oid> {
  if (options.signer.nodeId !== options.nid) {
    throw new TypeError(`The key does not belong to node ${options.nid}`);
  }
  const history = options.history ?? createSigrefsHistory();
  for (let attempts = 0; attempts < MAX_SIGN_ATTEMPTS; attempts++) {
    const signed = await signOnce(repository, options, history);
    if (signed !== undefined) return signed;
  }
  throw new WriteError("busy", `Other processes keep signing the references of ${options.nid}`);
}

async function signOnce(
  repository: WritableRepository,
  { nid, signer, timeSeconds, generation }: SignRefsOptions,
  history: SigrefsHistory,
): Promise<Oid | undefined> {
  const task = new Task();
  const name = sigrefsRef(nid);
  const ref = await repository.ref(name);
  if (ref?.target !== undefined) throw new DamagedError("The reference to signed references is symbolic");
  const last = ref?.oid;
  const stored = last === undefined ? undefined : await readStoredSigrefs(repository, last, task);
  if (last !== undefined && stored === undefined) {
    throw new DamagedError("The last signed references are missing");
  }
  const before = last === undefined || generation === "newest"
    ? undefined
    : await readSigrefsTraits(repository, last, history, task);
  const hasRoot = generation === "1.1" || before?.hasRoot === true;
  const isNewest = generation === "newest" || before?.isNewest === true;

  if (hasRoot || isNewest) await ensureRoot(repository, nid, task);
  const refs = await collectRefs(repository, nid, isNewest, task);
  const textAfter = textOf(refs, isNewest);
  if (stored !== undefined && await isSigned(nid, textAfter(stored.parents[0]), stored)) return last;

  const text = textAfter(last);
  const signature = await signVerified(signer, nid, text);
  const { commit: to, objects } = encodeSigrefs({ nid, text, signature, parent: last, timeSeconds });
  if (!await repository.updateRef(name, { from: last, to, objects })) return undefined;
  // The traits of the new commit and its ancestors are cached for the next call. In a home of the newest
  // generation, the traits are not needed.
  if (generation !== "newest") history.set(to, { hasRoot: hasRoot || refs.has(IDENTITY_ROOT), isNewest });
  return to;
}

/**
 * Returns a function that creates the text to sign. If `isNewest`, a line of the text contains the parent.
 */
function textOf(
  refs: ReadonlyMap<string, Oid>,
  isNewest: boolean,
): (parent: Oid | undefined) => Uint8Array<ArrayBuffer> {
  const isBefore = (name: string) => compareUtf8(name, SIGREFS_PARENT) < 0;
  const before = formatSigrefs([...refs].filter(([name]) => isBefore(name)));
  const after = formatSigrefs([...refs].filter(([name]) => !isBefore(name)));
  return (parent) => {
    const line = isNewest && parent !== undefined ? formatSigrefs([[SIGREFS_PARENT, parent]]) : "";
    return new TextEncoder().encode(before + line + after);
  };
}

/** Checks whether a commit of signed references has exactly this text, and a valid signature. */
async function isSigned(nid: NodeId, text: Uint8Array<ArrayBuffer>, stored: StoredSigrefs): Promise<boolean> {
  const { text: known, signature } = stored;
  return known !== undefined && isSameBytes(known, text) && signature !== undefined &&
    await verifyEd25519("both", { publicKey: nidToPublicKey(nid), message: text, signature });
}

/**
 * Creates `refs/rad/root` in the namespace if it does not exist. This reference points to the root of the
 * identity.
 */
async function ensureRoot(repository: WritableRepository, nid: NodeId, task: Task): Promise<void> {
  const name = `refs/namespaces/${nid}/${IDENTITY_ROOT}`;
  if (await repository.ref(name) !== undefined) return;
  await repository.updateRef(name, { from: undefined, to: await findIdentityRoot(repository, task) });
}

/** Returns the current references of a namespace, by their names without the namespace. */
async function collectRefs(
  repository: WritableRepository,
  nid: NodeId,
  isNewest: boolean,
  task: Task,
): Promise<Map<string, Oid>> {
  const namespace = `refs/namespaces/${nid}/`;
  const refs = new Map<string, Oid>();
  for (const { name: fullName, oid } of await resolveRefs(repository, namespace, task)) {
    const name = fullName.slice(namespace.length);
    const isKind = isNewest ? QUALIFIED.test(name) && !name.startsWith(UNSIGNED) : OLDER_KINDS.test(name);
    if (!isKind || !isRefname(name) || NO_OBJECT.test(oid)) continue;
    if (name !== SIGREFS && name !== SIGREFS_PARENT) refs.set(name, oid);
  }
  const root = refs.get(IDENTITY_ROOT);
  if (root !== undefined && !await isIdentityRoot(repository, root)) {
    throw new DamagedError(`The namespace of ${nid} has the root of another identity`);
  }
  return refs;
}

interface NewSigrefs {
  readonly nid: NodeId;
  readonly text: Uint8Array;
  readonly signature: Uint8Array;
  readonly parent: Oid | undefined;
  readonly timeSeconds: number;
}

function encodeSigrefs(
  { nid, text, signature, parent, timeSeconds }: NewSigrefs,
): { readonly commit: Oid; readonly objects: readonly GitObject[] } {
  const batch = new ObjectBatch();
  const file = (name: string, bytes: Uint8Array) => ({
    mode: MODE.blob,
    name: new TextEncoder().encode(name),
    oid: batch.add("blob", bytes),
  });
  const tree = batch.add("tree", encodeTree([file("refs", text), file("signature", signature)]));
  const commit = batch.add(
    "commit",
    encodeCommit({
      tree,
      parents: parent === undefined ? [] : [parent],
      author: { name: "radicle", email: nid },
      timeSeconds,
      message: "Update signed refs",
    }),
  );
  return { commit, objects: batch.objects };
}

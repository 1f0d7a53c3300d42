/**
 * Reads the current identity document of a repository, to which a reference of the repository usually points.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError, ifReadable, isUnreadable } from "../errors.ts";
import { findLikeGit, parseTreeLikeGit, readGitTree } from "../git/like_git.ts";
import { resolveRef, resolveRefs } from "../git/references.ts";
import { entryKind, type TreeEntry } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { docWeight, type IdentityDoc, parseDoc, tryParseDoc } from "./doc.ts";
import { MAX_DOC_BYTES } from "./doc_json.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { ridToOid } from "../ids/rid.ts";
import type { Task } from "../scheduling/task.ts";

/** The reference that points to the commit of the accepted revision of the identity. */
export const IDENTITY_REF = "refs/rad/id";

/**
 * Maximum size of the trees that lead to a document, in bytes. Real trees have less than a thousand bytes.
 */
export const MAX_DOC_TREE_BYTES = 256 * 1024;

const EMBEDS = "embeds";
const DOC_NAME = "radicle.json";
const latin1 = new TextDecoder("latin1");
/** Approximate memory of an unreadable document in the cache, in bytes. */
const UNREADABLE_BYTES = 256;

/** Finds the commit of the current identity document if no reference points to it. */
export type FindIdentity = (repository: Repository, task: Task) => Promise<Oid | undefined>;

/** Reads the identities of repositories. Documents are cached by commit, including unreadable documents. */
export class Identities {
  readonly find: FindIdentity;
  readonly #docs: LruMap<Oid, IdentityDoc | "unreadable">;

  constructor(find: FindIdentity, memory: Memory = new Memory()) {
    this.find = find;
    this.#docs = memory.map("identities", (doc) => doc === "unreadable" ? UNREADABLE_BYTES : docWeight(doc));
  }

  /**
   * Returns the commit of the current document: the target of {@link IDENTITY_REF} if it exists, otherwise
   * the result of `find`.
   */
  async commit(repository: Repository, task: Task): Promise<Oid | undefined> {
    return (await resolveRef(repository, IDENTITY_REF))?.oid ?? await this.find(repository, task);
  }

  /**
   * Reads the current document.
   *
   * @throws {DamagedError} when the document is missing, or cannot be read.
   */
  async doc(repository: Repository, task: Task): Promise<IdentityDoc> {
    const commit = await this.commit(repository, task);
    if (commit === undefined) throw new DamagedError("A repository has no identity");
    let doc = this.#docs.get(commit);
    if (doc === undefined) {
      doc = tryParseDoc(await readDocBlob(repository, commit)) ?? "unreadable";
      this.#docs.set(commit, doc);
    }
    if (doc === "unreadable") throw new DamagedError("An identity document cannot be read");
    // If the newest rules refuse a document, it may have a version that this program does not know.
    if (doc.readings.newest === undefined) {
      throw new DamagedError("An identity document is of another version");
    }
    return doc;
  }

  /** Reads the current document. Returns `undefined` when the document is missing, or cannot be read. */
  async tryDoc(repository: Repository, task: Task): Promise<IdentityDoc | undefined> {
    try {
      return await this.doc(repository, task);
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }

  /**
   * Returns whether clients other than the owner may see a repository. `false` without a readable document.
   */
  async isPublic(repository: Repository, task: Task): Promise<boolean> {
    return (await this.tryDoc(repository, task))?.visibility.type === "public";
  }
}

/**
 * Reads the document in an identity commit.
 *
 * @throws {DamagedError} when the document is missing, or cannot be read.
 */
export async function readDocAt(repository: Repository, commit: Oid): Promise<IdentityDoc> {
  return parseDoc(await readDocBlob(repository, commit));
}

async function readDocBlob(repository: Repository, commit: Oid): Promise<Uint8Array> {
  const blob = await repository.object(await findDocBlob(repository, commit), { limitBytes: MAX_DOC_BYTES });
  if (blob?.kind !== "blob") throw new DamagedError("An identity commit has no document");
  return blob.bytes;
}

/**
 * Returns the id of the blob with the document in an identity commit.
 *
 * @throws {DamagedError} when the commit has no document.
 */
export async function findDocBlob(repository: Repository, commit: Oid): Promise<Oid> {
  const object = await repository.object(commit);
  const tree = object?.kind === "commit" ? readGitTree(object.bytes) : undefined;
  if (tree === undefined) throw new DamagedError("The identity of a repository is not a commit");
  const embeds = await findIn(repository, tree, EMBEDS);
  const entry = embeds && entryKind(embeds.mode) === "tree"
    ? await findIn(repository, embeds.oid, DOC_NAME)
    : undefined;
  if (entry === undefined) throw new DamagedError("An identity commit has no document");
  return entry.oid;
}

/** Finds an entry of a tree by its name, as libgit2 does. Returns `undefined` if it is not found. */
async function findIn(repository: Repository, tree: Oid, name: string): Promise<TreeEntry | undefined> {
  const object = await repository.object(tree);
  if (object?.kind !== "tree") return undefined;
  if (object.bytes.length > MAX_DOC_TREE_BYTES) throw new DamagedError("A tree with a document is too large");
  const entries = parseTreeLikeGit(object.bytes);
  return entries[findLikeGit(entries.map((entry) => latin1.decode(entry.name)), name)];
}

/**
 * Maximum number of identity commits that are read to find the root. Each commit is a change of the identity,
 * or a vote on a change.
 */
export const MAX_IDENTITY_COMMITS = 100_000;

/**
 * Finds the first commit of the identity (its root) by following the parents of the current identity commit.
 * If no reference points to the current identity commit, the search starts at the identity commits in all
 * namespaces.
 *
 * @throws {DamagedError} when the identity has no root.
 */
export async function findIdentityRoot(repository: Repository, task: Task): Promise<Oid> {
  const head = await resolveRef(repository, IDENTITY_REF);
  const heads = head === undefined
    ? await resolveRefs(repository, "refs/namespaces/*/refs/rad/id", task)
    : [head];
  const waiting = heads.map(({ oid }) => oid);
  const seen = new Set(waiting);
  for (let oid = waiting.pop(); oid !== undefined && seen.size <= MAX_IDENTITY_COMMITS; oid = waiting.pop()) {
    const object = await repository.object(oid);
    if (object?.kind !== "commit") continue;
    const { parents } = parseCommitHeader(object.bytes);
    if (parents.length === 0 && await isIdentityRoot(repository, oid)) return oid;
    for (const parent of parents) {
      if (!seen.has(parent)) waiting.push(parent);
      seen.add(parent);
    }
  }
  throw new DamagedError("The identity of a repository has no root");
}

/** Checks whether the repository id was derived from the identity document in this commit. */
export async function isIdentityRoot(repository: Repository, commit: Oid): Promise<boolean> {
  const blob = await ifReadable(() => findDocBlob(repository, commit));
  return blob === ridToOid(repository.rid);
}

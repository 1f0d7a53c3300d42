/**
 * Reads and verifies single commits of signed references. Each commit contains a list of the references of a
 * node, and a signature over the list.
 */
import { releaseBytes } from "../bytes/bytes.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { readFile } from "../git/objects.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { verifyEd25519 } from "../keys/ed25519.ts";
import { isIdentityRoot } from "./identity.ts";
import type { SigrefsRules } from "./sigrefs_rules.ts";
import {
  encodeSorted,
  IDENTITY_ROOT,
  type ParsedSigrefs,
  parseSigrefs,
  SIGREFS_PARENT,
  WrongSigrefs,
} from "./sigrefs_text.ts";

/**
 * Object ids of the references of a namespace, by name without the namespace, in bytewise order of the names.
 */
export type SignedRefs = ReadonlyMap<string, Oid>;

/**
 * Levels of the protection of a commit, in ascending order. `none`: no protection. `root`: the list contains
 * the root of the identity, so that the commit cannot be used in another repository. `parent`: the list also
 * contains the parent of the commit, so that the commit cannot be replayed.
 */
export const LEVELS = ["none", "root", "parent"] as const;

/** A commit that has been verified. */
export interface SigrefsCommit {
  readonly refs: SignedRefs;
  readonly level: typeof LEVELS[number];
  readonly parent: Oid | undefined;
  /**
   * The signature as a text with one character for each byte, because texts are easier to compare than bytes.
   */
  readonly signature: string;
  /** Size of the text of the list, in bytes. */
  readonly bytes: number;
}

/** Reads the commits of signed references of one node in one repository. */
export class SigrefsCommits {
  readonly #repository: Repository;
  readonly #publicKey: Uint8Array<ArrayBuffer>;
  readonly #rules: SigrefsRules;
  readonly #task: Task;
  /**
   * The root of the identity that was verified for another commit. All commits of a history have the same
   * root.
   */
  #root: Oid | undefined;

  constructor(repository: Repository, nid: NodeId, rules: SigrefsRules, task: Task) {
    this.#repository = repository;
    this.#publicKey = nidToPublicKey(nid);
    this.#rules = rules;
    this.#task = task;
  }

  /**
   * Reads the list in a commit that has already been verified.
   *
   * @throws {DamagedError} when the commit cannot be read.
   */
  async known(commit: Oid): Promise<SignedRefs> {
    const { tree } = await this.#header(commit);
    const text = await this.#file(tree, "refs");
    const { refs } = await parseSigrefs(text.bytes, this.#rules, this.#task);
    text.release?.();
    if (this.#rules.judgesHistory) refs.delete(SIGREFS_PARENT);
    return refs;
  }

  /**
   * Reads and verifies a commit.
   *
   * @throws {DamagedError} when the commit is missing or not valid.
   */
  async verified(commit: Oid): Promise<SigrefsCommit> {
    const { tree, parents } = await this.#header(commit);
    const { judgesHistory, checksRoot } = this.#rules;
    if (judgesHistory && parents.length > 1) throw new WrongSigrefs("Signed references have two parents");
    const text = await this.#file(tree, "refs");
    const signature = new Uint8Array((await this.#file(tree, "signature")).bytes);
    const parsed = await parseSigrefs(text.bytes, this.#rules, this.#task);
    const isSigned = await this.#isSigned(text.bytes, parsed, signature);
    const bytes = text.bytes.length;
    text.release?.();
    if (!isSigned) throw new WrongSigrefs("The signature of signed references does not verify");
    const { refs } = parsed;
    const root = refs.get(IDENTITY_ROOT);
    if (checksRoot && root !== undefined) await this.#checkRoot(root);
    const level = judgesHistory ? levelOf(refs, parents[0]) : "none";
    if (judgesHistory) refs.delete(SIGREFS_PARENT);
    return { refs, level, parent: parents[0], signature: String.fromCharCode(...signature), bytes };
  }

  async #header(commit: Oid) {
    const object = await this.#repository.object(commit);
    if (object?.kind !== "commit") throw new DamagedError("Signed references are not a commit");
    return parseCommitHeader(object.bytes);
  }

  async #file(tree: Oid, name: string): Promise<GitObject> {
    const file = await readFile(this.#repository, tree, name, this.#task);
    if (file === undefined) throw new DamagedError(`Signed references have no file ${name}`);
    return file;
  }

  async #isSigned(
    text: Uint8Array,
    { refs, isCanonical }: ParsedSigrefs,
    signature: Uint8Array<ArrayBuffer>,
  ): Promise<boolean> {
    if (this.#rules.signs === "stored" || isCanonical) {
      // The text is not copied if possible, because it may have megabytes.
      const signed = text.buffer instanceof ArrayBuffer
        ? text as Uint8Array<ArrayBuffer>
        : new Uint8Array(text);
      return await this.#verify(signed, signature);
    }
    const signed = await encodeSorted(refs, this.#task);
    const isSigned = await this.#verify(signed, signature);
    releaseBytes(signed);
    return isSigned;
  }

  #verify(message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const signed = { publicKey: this.#publicKey, message, signature };
    return verifyEd25519(this.#rules.signatures, signed, this.#task);
  }

  async #checkRoot(root: Oid): Promise<void> {
    if (root === this.#root) return;
    if (!await isIdentityRoot(this.#repository, root)) {
      throw new DamagedError("Signed references belong to another repository");
    }
    this.#root = root;
  }
}

function levelOf(refs: SignedRefs, parent: Oid | undefined): SigrefsCommit["level"] {
  const named = refs.get(SIGREFS_PARENT);
  const hasRoot = refs.has(IDENTITY_ROOT);
  if (named === undefined) return hasRoot ? "root" : "none";
  if (named !== parent) throw new WrongSigrefs("Signed references name a commit that is not their parent");
  if (!hasRoot) {
    throw new WrongSigrefs("Signed references name their parent, but not the root of the identity");
  }
  return "parent";
}

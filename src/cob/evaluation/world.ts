/** What steps may ask of a repository besides its entries. */
import { LruMap } from "../../cache/lru_map.ts";
import { DamagedError } from "../../errors.ts";
import type { CommitIndex } from "../../git/commit_index.ts";
import { resolveRef } from "../../git/references.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { readDocAt } from "../../identity/identity.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import { Turns } from "../../time/turns.ts";
import { Refusal } from "../refusal.ts";
import type { Rules } from "../rules.ts";

/** Identity documents that are remembered. */
const REMEMBERED_DOCS = 1024;

/** Identity documents by repository and commit. */
export type DocsByCommit = LruMap<string, IdentityDoc>;

/** An empty cache of identity documents. */
export function createDocsByCommit(): DocsByCommit {
  return new LruMap(REMEMBERED_DOCS);
}

/** What entries of a repository refer to: identity documents and the branches of its nodes, as they were when first asked for. */
export class World {
  readonly repository: Repository;
  /** Shared by all that is evaluated for one request. */
  readonly turns: Turns;
  readonly #index: CommitIndex;
  readonly #docs: DocsByCommit;
  readonly #heads: Map<string, Oid | undefined>;
  /** The branches asked for by way of this very object. */
  readonly heads = new Map<string, Oid | undefined>();
  /** Counts the objects that cannot be evaluated, for one request. */
  readonly leftOut: { objects: number };
  /** Whether a commit that was asked for by way of this very object is missing. */
  lacksCommits = false;

  constructor(
    repository: Repository,
    index: CommitIndex,
    docs: DocsByCommit,
    turns: Turns = new Turns(),
    heads = new Map<string, Oid | undefined>(),
    leftOut = { objects: 0 },
  ) {
    this.repository = repository;
    this.#index = index;
    this.#docs = docs;
    this.turns = turns;
    this.#heads = heads;
    this.leftOut = leftOut;
  }

  /** The same with no branches asked for. */
  fork(): World {
    return new World(this.repository, this.#index, this.#docs, this.turns, this.#heads, this.leftOut);
  }

  /** Where a reference leads to. */
  async head(name: string): Promise<Oid | undefined> {
    let head = this.#heads.get(name);
    if (head === undefined && !this.#heads.has(name)) {
      head = (await resolveRef(this.repository, name))?.oid;
      this.#heads.set(name, head);
    }
    this.heads.set(name, head);
    return head;
  }

  /**
   * Whether a node's branch (`refs/heads/…`) holds a commit; `undefined` when one of the two is missing, or no commit. Where there is no such branch,
   * or it points to the commit, nothing is looked at.
   */
  async holds(node: NodeId, branch: string, commit: Oid): Promise<boolean | undefined> {
    const head = await this.head(`refs/namespaces/${node}/${branch}`);
    if (head === undefined || head === commit) return head === commit;
    const tip = await this.#load(head);
    if (tip === undefined) return undefined;
    const row = this.#index.rowOf(commit);
    if (row !== undefined && await this.#index.contains(tip, row)) return true;
    return await this.#load(commit) === undefined ? undefined : false;
  }

  async #load(commit: Oid): Promise<number | undefined> {
    const row = await this.#index.load(this.repository, commit);
    if (row === undefined) this.lacksCommits ||= await this.repository.header(commit) === undefined;
    return row;
  }

  /**
   * The document that an identity commit holds.
   *
   * @throws {Refusal} `malformed` when it holds none that programs of the generation accept.
   */
  async doc(commit: Oid | undefined, { generation }: Rules): Promise<IdentityDoc> {
    const doc = await this.#doc(commit);
    if (doc.readings[generation] === undefined) {
      throw new Refusal("malformed", `Commit ${commit} holds no identity document of that generation`);
    }
    return doc;
  }

  async #doc(commit: Oid | undefined): Promise<IdentityDoc> {
    if (commit === undefined) throw new Refusal("malformed", "An entry names no identity document");
    const key = `${this.repository.rid} ${commit}`;
    const known = this.#docs.get(key);
    if (known !== undefined) return known;
    try {
      const doc = await readDocAt(this.repository, commit);
      this.#docs.set(key, doc);
      return doc;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      throw new Refusal("malformed", `Commit ${commit} holds no identity document`);
    }
  }
}

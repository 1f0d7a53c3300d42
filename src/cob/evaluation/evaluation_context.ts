/** Reads the identity documents and branches to which the entries of issues and patches refer. */
import type { LruMap } from "../../cache/lru_map.ts";
import { Memory } from "../../cache/memory.ts";
import { isUnreadable } from "../../errors.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import { resolveRef } from "../../git/references.ts";
import { docWeight, type IdentityDoc } from "../../identity/doc.ts";
import { readDocAt } from "../../identity/identity.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";

/** Identity documents by repository and commit. */
export type DocsByCommit = LruMap<string, IdentityDoc>;

export function createDocsByCommit(memory: Memory = new Memory()): DocsByCommit {
  return memory.map("identities", docWeight);
}

/**
 * Data that all evaluations of one request share: the tips of the branches read so far, and the number of
 * objects that could not be evaluated.
 */
interface RequestState {
  readonly heads: Map<string, Oid | undefined>;
  readonly leftOut: { objects: number };
}

/**
 * Context of one or more evaluations in a repository. Each branch is read only once, so that all evaluations
 * of a request use the same branches.
 */
export class EvaluationContext {
  readonly #opened: OpenedRepository;
  readonly #docs: DocsByCommit;
  readonly #request: RequestState;
  /**
   * Branches that were read through this context, with their tips. A branch that was read only through a fork
   * of this context is left out.
   */
  readonly heads = new Map<string, Oid | undefined>();
  /** Whether a commit that was requested through this context is missing. */
  lacksCommits = false;

  constructor(
    opened: OpenedRepository,
    docs: DocsByCommit,
    request: RequestState = { heads: new Map(), leftOut: { objects: 0 } },
  ) {
    this.#opened = opened;
    this.#docs = docs;
    this.#request = request;
  }

  get repository(): Repository {
    return this.#opened.objects;
  }

  get task(): Task {
    return this.#opened.task;
  }

  /**
   * Creates a context for one evaluation, which shares the branches read so far. `heads` of the new context
   * is empty at first.
   */
  fork(): EvaluationContext {
    return new EvaluationContext(this.#opened, this.#docs, this.#request);
  }

  get leftOut(): { objects: number } {
    return this.#request.leftOut;
  }

  async head(name: string): Promise<Oid | undefined> {
    let head = this.#request.heads.get(name);
    if (head === undefined && !this.#request.heads.has(name)) {
      head = (await resolveRef(this.repository, name))?.oid;
      this.#request.heads.set(name, head);
    }
    this.heads.set(name, head);
    return head;
  }

  /** Checks whether each of the references has the given target. */
  async hasHeads(heads: ReadonlyMap<string, Oid | undefined> | undefined): Promise<boolean> {
    for (const [name, head] of heads ?? []) if (await this.head(name) !== head) return false;
    return true;
  }

  /**
   * Checks whether a node's branch (`refs/heads/…`) contains a commit. Returns `false` if the branch does not
   * exist, and `undefined` when the commit or the tip of the branch is missing or not a commit.
   */
  async branchContains(node: NodeId, branch: string, commit: Oid): Promise<boolean | undefined> {
    const head = await this.head(`refs/namespaces/${node}/${branch}`);
    if (head === undefined || head === commit) return head === commit;
    const tip = await this.#load(head);
    if (tip === undefined) return undefined;
    const { graph } = this.#opened;
    const row = graph.commits.rowOf(commit);
    if (row !== undefined && await graph.contains(tip, row)) return true;
    return await this.#load(commit) === undefined ? undefined : false;
  }

  async #load(commit: Oid): Promise<number | undefined> {
    const { objects, graph, task } = this.#opened;
    const row = await graph.load(objects, commit, task);
    if (row === undefined) this.lacksCommits ||= await objects.header(commit) === undefined;
    return row;
  }

  /**
   * Returns the identity document in a commit.
   *
   * @throws {Refusal} `malformed` when the Radicle programs of the generation find no valid document in the
   *   commit.
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
    const cached = this.#docs.get(key);
    if (cached !== undefined) return cached;
    try {
      const doc = await readDocAt(this.repository, commit);
      this.#docs.set(key, doc);
      return doc;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      throw new Refusal("malformed", `Commit ${commit} holds no identity document`);
    }
  }
}

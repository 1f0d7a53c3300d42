/**
 * Signed references: a list of a node's references with the node's signature, in a commit of its namespace.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { type HomeGeneration, olderGeneration } from "./generation.ts";
import { type SignedRefs, SigrefsCommits } from "./sigrefs_commit.ts";
import { SIGREFS_RULES } from "./sigrefs_rules.ts";
import { SIGREFS, WrongSigrefs } from "./sigrefs_text.ts";
import { SigrefsJudge, type SigrefsJudgeOptions } from "./sigrefs_walk.ts";
import { createVerdictCache, readVerdicts, type SigrefsVerdict, type VerdictCache } from "./verdicts.ts";

export type { SignedRefs };

/**
 * Approximate memory of a cached reference, in bytes. A node counts as many references as it signs, but at
 * least {@link LEAST_REFS}.
 */
export const SIGNED_REF_BYTES = 200;
const LEAST_REFS = 64;

export interface SigrefsCacheOptions extends SigrefsJudgeOptions {
  /** Returns the generation whose rules judge signed references now. By default `newest`. */
  readonly generation?: () => HomeGeneration;
  /** By default a new cache. */
  readonly verdicts?: VerdictCache;
}

export interface SigrefsCache {
  readonly generation: () => HomeGeneration;
  /**
   * Signed references, or the reason for refusing them. Keys have generation, repository, node and last
   * commit.
   */
  readonly refs: LruMap<string, SignedRefs | string>;
  /** Verdicts of other processes. */
  readonly verdicts: VerdictCache;
  readonly judge: SigrefsJudge;
}

export function createSigrefsCache(
  memory: Memory = new Memory(),
  { generation = () => "newest", verdicts = createVerdictCache(memory), ...rest }: SigrefsCacheOptions = {},
): SigrefsCache {
  const refs = memory.map<string, SignedRefs | string>(
    "signedRefs",
    (found) => SIGNED_REF_BYTES * (typeof found === "string" ? LEAST_REFS : Math.max(found.size, LEAST_REFS)),
  );
  return { generation, refs, verdicts, judge: new SigrefsJudge(memory, rest) };
}

/** Name of the reference that points to a node's signed references. */
export function sigrefsRef(nid: NodeId): string {
  return `refs/namespaces/${nid}/${SIGREFS}`;
}

/** The generation and the verdicts by which signed references of a repository are judged. */
export interface SigrefsBasis {
  readonly generation: HomeGeneration;
  /**
   * Verdicts by the rules of `generation`. `undefined` when other processes judge by other rules, or have not
   * judged.
   */
  readonly verdicts: ReadonlyMap<NodeId, SigrefsVerdict> | undefined;
}

/** Reads the signed references of nodes in a repository. All nodes are judged on the same basis. */
export class SigrefsReader {
  readonly repository: Repository;
  readonly task: Task;
  readonly #cache: SigrefsCache;
  #basis: Promise<SigrefsBasis> | undefined;

  constructor(repository: Repository, cache: SigrefsCache, task: Task) {
    this.repository = repository;
    this.task = task;
    this.#cache = cache;
  }

  /**
   * The basis for judging: the rules of the cache. If the publisher of the repository judges by older rules,
   * these older rules.
   */
  basis(): Promise<SigrefsBasis> {
    return this.#basis ??= this.#findBasis();
  }

  async #findBasis(): Promise<SigrefsBasis> {
    const generation = this.#cache.generation();
    const published = await readVerdicts(this.repository, this.#cache.verdicts);
    if (published === undefined) return { generation, verdicts: undefined };
    const older = olderGeneration(generation, published.rules);
    return { generation: older, verdicts: older === published.rules ? published.signed : undefined };
  }

  /**
   * Reads a node's signed references. Returns `undefined` when the node has none.
   *
   * @throws {DamagedError} when they are refused: their signature does not verify, they belong to another
   *   repository, or their history is refused.
   */
  async read(nid: NodeId): Promise<SignedRefs | undefined> {
    const { repository, task } = this;
    const { refs: known, judge } = this.#cache;
    const ref = await resolveRef(repository, sigrefsRef(nid));
    if (ref === undefined) return undefined;
    const { generation, verdicts } = await this.basis();
    const key = `${generation} ${repository.rid} ${nid} ${ref.oid}`;
    const cached = known.get(key);
    if (typeof cached === "string") throw new DamagedError(cached);
    if (cached !== undefined) return cached;
    try {
      const verdict = verdicts?.get(nid);
      const { refs } = verdict?.tip === ref.oid
        ? { refs: await this.#readShown(nid, verdict, generation) }
        : await judgeSigrefs(repository, nid, ref.oid, generation, judge, task);
      known.set(key, refs);
      return refs;
    } catch (error) {
      if (error instanceof WrongSigrefs) known.set(key, error.message);
      throw error;
    }
  }

  /** Reads the references of a node that have been judged by another process. */
  async #readShown(
    nid: NodeId,
    { shown }: SigrefsVerdict,
    generation: HomeGeneration,
  ): Promise<SignedRefs> {
    if (shown === undefined) throw new WrongSigrefs("The publisher refuses these signed references");
    const commits = new SigrefsCommits(this.repository, nid, SIGREFS_RULES[generation], this.task);
    return await commits.known(shown);
  }
}

/** Signed references, and the commit from which they are read. */
export interface JudgedSigrefs {
  readonly shown: Oid;
  readonly refs: SignedRefs;
}

/**
 * Reads the signed references that count when a node's last commit is `tip`. After a replay of older
 * references, the references in the newest commit before the replay count; otherwise the references in `tip`.
 *
 * @throws {DamagedError} when they are refused.
 */
export async function judgeSigrefs(
  repository: Repository,
  nid: NodeId,
  tip: Oid,
  generation: HomeGeneration,
  judge: SigrefsJudge,
  task: Task,
): Promise<JudgedSigrefs> {
  const rules = SIGREFS_RULES[generation];
  const commits = new SigrefsCommits(repository, nid, rules, task);
  const head = await commits.verified(tip);
  const { level, parent, refs } = head;
  const isWhole = level === "parent" || parent === undefined;
  if (!rules.judgesHistory || isWhole) return { shown: tip, refs };
  const shown = await judge.shown({ repository, nid, tip, head, commits, task });
  return { shown, refs: shown === tip ? refs : (await commits.verified(shown)).refs };
}

/**
 * Reads signed references: a commit in the namespace of a node that contains a list of the node's references,
 * and a signature of the node over this list.
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

/** Approximate memory of a cached reference, in bytes. */
export const SIGNED_REF_BYTES = 200;
const LEAST_REFS = 64;

export interface SigrefsCacheOptions extends SigrefsJudgeOptions {
  /**
   * Returns the generation of Radicle programs by whose rules signed references are verified now. By default
   * `newest`.
   */
  readonly generation?: () => HomeGeneration;
  /**
   * Cache of verdicts that other processes have published. A verdict is the result of verifying the signed
   * references of a node. By default a new cache.
   */
  readonly verdicts?: VerdictCache;
}

export interface SigrefsCache {
  readonly generation: () => HomeGeneration;
  /**
   * Signed references, or the reason why they are refused, by generation, repository, node and last commit.
   */
  readonly refs: LruMap<string, SignedRefs | string>;
  /** Verdicts that other processes have published. */
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

/** Returns the name of the reference that points to the signed references of a node. */
export function sigrefsRef(nid: NodeId): string {
  return `refs/namespaces/${nid}/${SIGREFS}`;
}

/** The generation and the verdicts that are used to verify the signed references of a repository. */
export interface SigrefsBasis {
  readonly generation: HomeGeneration;
  /**
   * Verdicts that follow the rules of `generation`. `undefined` when the published verdicts follow other
   * rules, or when no verdicts are published.
   */
  readonly verdicts: ReadonlyMap<NodeId, SigrefsVerdict> | undefined;
}

/** Reads the signed references of nodes in a repository. All nodes are verified by the same rules. */
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
   * Returns the generation and the verdicts that are used. The generation is the older of two: the generation
   * of the cache, and the generation of the process that published the repository.
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
   * Reads the signed references of a node. Returns `undefined` when the node has no signed references.
   *
   * @throws {DamagedError} when they are refused, because their signature does not match, they belong to
   *   another repository, or their history is refused.
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

  /** Reads the references of a node from the commit that another process has verified. */
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

/** Signed references, and the commit from which they were read. */
export interface JudgedSigrefs {
  readonly shown: Oid;
  readonly refs: SignedRefs;
}

/**
 * Verifies the signed references of a node whose last commit is `tip`. Returns the references in `tip`,
 * unless `tip` is a replay of older references. After a replay, returns the references in the newest commit
 * before the replay.
 *
 * @throws {DamagedError} when the signed references are refused.
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

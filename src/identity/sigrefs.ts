/** Signed references: a node's signed list of its references, in a commit of its namespace. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { TimeSlices } from "../async/time_slices.ts";
import type { HomeGeneration } from "./generation.ts";
import { type SignedRefs, SigrefsCommits } from "./sigrefs_commit.ts";
import { SIGREFS_RULES } from "./sigrefs_rules.ts";
import { SIGREFS, WrongSigrefs } from "./sigrefs_text.ts";
import { SigrefsJudge, type SigrefsJudgeParts } from "./sigrefs_walk.ts";
import { createVerdictCache, readVerdicts, type VerdictCache } from "./verdicts.ts";

export type { SignedRefs };

/**
 * Approximate memory of a cached reference, in bytes; a node counts as many references as it signs, at least
 * {@link LEAST_REFS}.
 */
export const SIGNED_REF_BYTES = 200;
const LEAST_REFS = 64;

/** Options of {@link createSigrefsCache}. */
export interface SigrefsCacheOptions extends SigrefsJudgeParts {
  /** Generation of programs by whose rules signed references are judged; `newest` by default. */
  readonly generation?: HomeGeneration;
  /** An own cache by default. */
  readonly verdicts?: VerdictCache;
}

/** Caches of signed references, as one generation of programs judges them. */
export interface SigrefsCache {
  readonly generation: HomeGeneration;
  /** Verified ones, or the reason for refusing them, by repository, node and last commit. */
  readonly refs: LruMap<string, SignedRefs | string>;
  /** Verdicts of others. */
  readonly verdicts: VerdictCache;
  readonly judge: SigrefsJudge;
}

/** Creates an empty cache of signed references. */
export function createSigrefsCache(
  memory: Memory = new Memory(),
  { generation = "newest", verdicts = createVerdictCache(memory), ...parts }: SigrefsCacheOptions = {},
): SigrefsCache {
  const refs = memory.map<string, SignedRefs | string>(
    "signedRefs",
    (found) => SIGNED_REF_BYTES * (typeof found === "string" ? LEAST_REFS : Math.max(found.size, LEAST_REFS)),
  );
  return { generation, refs, verdicts, judge: new SigrefsJudge(memory, parts) };
}

/** Name of the reference to a node's signed references. */
export function sigrefsRef(nid: NodeId): string {
  return `refs/namespaces/${nid}/${SIGREFS}`;
}

/**
 * Reads a node's signed references; `undefined` when it has none.
 *
 * @throws {DamagedError} when they are refused: their signature does not verify, they belong to another
 *   repository, or their history is refused.
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
    const verdict = verdicts?.rules === cache.generation ? verdicts.signed.get(nid) : undefined;
    const { refs } = verdict?.tip === ref.oid
      ? { refs: await readShown(repository, nid, verdict.shown, cache) }
      : await judgeSigrefs(repository, nid, ref.oid, cache);
    cache.refs.set(key, refs);
    return refs;
  } catch (error) {
    if (error instanceof WrongSigrefs) cache.refs.set(key, error.message);
    throw error;
  }
}

/** Signed references, and the commit that they are read from. */
export interface JudgedSigrefs {
  readonly shown: Oid;
  readonly refs: SignedRefs;
}

/**
 * Reads the signed references that count when a node's last commit is `tip`: those of this commit, or of the
 * newest one before a replay.
 *
 * @throws {DamagedError} when they are refused.
 */
export async function judgeSigrefs(
  repository: Repository,
  nid: NodeId,
  tip: Oid,
  { generation, judge }: Pick<SigrefsCache, "generation" | "judge">,
): Promise<JudgedSigrefs> {
  const slices = new TimeSlices();
  const rules = SIGREFS_RULES[generation];
  const commits = new SigrefsCommits(repository, nid, rules, slices);
  const head = await commits.verified(tip);
  const { level, parent, refs } = head;
  // A first commit has no parent to name.
  const isHighest = level === "parent" || level === "root" && parent === undefined;
  if (!rules.judgesHistory || isHighest) return { shown: tip, refs };
  const shown = await judge.shown({ repository, nid, tip, head, commits, slices });
  return { shown, refs: shown === tip ? refs : (await commits.verified(shown)).refs };
}

/** Reads the references of a commit that another process has judged. */
function readShown(
  repository: Repository,
  nid: NodeId,
  commit: Oid,
  { generation }: SigrefsCache,
): Promise<SignedRefs> {
  return new SigrefsCommits(repository, nid, SIGREFS_RULES[generation], new TimeSlices()).known(commit);
}

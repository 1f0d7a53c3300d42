/**
 * Saves verdicts as derived data. A verdict is the result of verifying the signed references of a node, or of
 * evaluating the identity of a repository.
 */
import { toRoot } from "../derived/derived_files.ts";
import { isUnreadable } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { DerivedData, DerivedFile, DerivedRoot } from "../ports/derived_data.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { type FindIdentity, IDENTITY_REF } from "./identity.ts";
import { listNamespaces } from "./remotes.ts";
import type { HomeGeneration } from "./generation.ts";
import { judgeSigrefs, sigrefsRef } from "./sigrefs.ts";
import { WrongSigrefs } from "./sigrefs_text.ts";
import { SigrefsJudge } from "./sigrefs_walk.ts";
import {
  createVerdictCache,
  encodeVerdicts,
  identityInputs,
  type IdentityVerdict,
  readVerdicts,
  type SigrefsVerdict,
  VERDICTS_NAME,
} from "./verdicts.ts";

export interface SaveVerdictsOptions {
  /** The repository, which contains exactly the references that are published. */
  readonly repository: Repository;
  readonly task: Task;
  /** The generation whose rules are used to verify signed references. */
  readonly generation: HomeGeneration;
  /** Name of the rules that are used to evaluate the identity. */
  readonly rules: string;
  /** Checks the histories of signed references. By default a new {@link SigrefsJudge}. */
  readonly judge?: SigrefsJudge;
  /** Finds the commit of the identity if no reference points to it. */
  readonly find: FindIdentity;
  /** Derived data that was saved before. Its verdicts are reused without verification. */
  readonly earlier: DerivedData | undefined;
  /** Stores the file, unless it is already stored. */
  write(file: DerivedFile): Promise<void>;
}

export async function saveVerdicts(options: SaveVerdictsOptions): Promise<DerivedRoot> {
  const { repository, task, generation, judge = new SigrefsJudge(), earlier, write } = options;
  const { rid } = repository;
  const saved = await readVerdicts({ rid, derived: earlier }, createVerdictCache());
  const before = saved?.rules === generation ? saved.signed : undefined;
  const signed = new Map<NodeId, SigrefsVerdict>();
  for (const nid of await listNamespaces(repository, task)) {
    const tip = (await resolveRef(repository, sigrefsRef(nid)))?.oid;
    if (tip === undefined) continue;
    const known = before?.get(nid);
    const verdict = known?.tip === tip && known.shown !== undefined
      ? known
      : await judgeTip(repository, nid, tip, { generation, judge, task });
    if (verdict !== undefined) signed.set(nid, verdict);
    await task.yield();
  }
  const identity = await identityVerdict(options);
  const file = await encodeVerdicts(rid, { rules: generation, signed, identity });
  await write(file);
  return toRoot(VERDICTS_NAME, file);
}

/**
 * Returns the verdict about a node. Returns `undefined` when the signed references of the node cannot be
 * read, because missing objects may be fetched later.
 */
async function judgeTip(
  repository: Repository,
  nid: NodeId,
  tip: Oid,
  { generation, judge, task }: {
    readonly generation: HomeGeneration;
    readonly judge: SigrefsJudge;
    readonly task: Task;
  },
): Promise<SigrefsVerdict | undefined> {
  try {
    const { shown } = await judgeSigrefs(repository, nid, tip, generation, judge, task);
    return { tip, shown };
  } catch (error) {
    if (error instanceof WrongSigrefs) return { tip, shown: undefined };
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

async function identityVerdict(
  { repository, rules, find, task }: SaveVerdictsOptions,
): Promise<IdentityVerdict | undefined> {
  if (await resolveRef(repository, IDENTITY_REF) !== undefined) return undefined;
  const commit = await find(repository, task);
  return commit && { rules, inputs: await identityInputs(repository, task), commit };
}

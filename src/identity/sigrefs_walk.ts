/**
 * Checks the history of a node's signed references as the newest Radicle programs do. Each commit of the
 * history contains a signed list of references, and has one of the {@link LEVELS} of protection. If the last
 * commit is below the highest level, all of its ancestors are read, to find the commit whose references are
 * valid.
 */
import * as v from "valibot";
import { SingleFlight } from "../async/single_flight.ts";
import type { Task } from "../scheduling/task.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError, isUnreadable } from "../errors.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { Environment } from "../ports/environment.ts";
import type { Repository } from "../ports/storage.ts";
import { LEVELS, type SigrefsCommit, type SigrefsCommits } from "./sigrefs_commit.ts";
import { WrongSigrefs } from "./sigrefs_text.ts";

/**
 * Maximum number of commits in a history. Reading this number of commits takes some 15 seconds in total, in
 * steps. Only a node that uses Radicle programs older than the newest generation can reach the limit.
 */
export const MAX_JUDGED_COMMITS = 50_000;
/**
 * Maximum total size of the texts in a history, in bytes. Reading texts of this size takes some 15 seconds. A
 * node with a thousand references reaches the limit after five thousand changes.
 */
export const MAX_JUDGED_BYTES = 2 ** 29;
/**
 * Minimum number of commits of a history whose result is saved. A shorter history is quickly checked again.
 */
export const SAVED_COMMITS = 256;

const JUDGEMENT_BYTES = 400;
const TOO_LONG = "The history of signed references is too long";
/** Version of the saved results. Increase it when their meaning changes. */
const SAVED_VERSION = 1;

/**
 * Result for a history: the commit whose references are valid, or the reason why the whole history is
 * refused.
 */
type Judgement =
  | { readonly shown: Oid }
  | {
    readonly refusal: string;
    /**
     * The `objectsVersion` of the repository at which the history was refused. Absent when the refusal is
     * permanent.
     */
    readonly objectsVersion?: number | undefined;
  };

/**
 * The last commit of a history, which is below the highest level, and everything that is needed to read its
 * ancestors.
 */
export interface LowHead {
  readonly repository: Repository;
  readonly nid: NodeId;
  readonly tip: Oid;
  readonly head: SigrefsCommit;
  readonly commits: SigrefsCommits;
  readonly task: Task;
}

export interface SigrefsJudgeOptions {
  /** Folder in which results are saved for the next process. By default results are not saved. */
  readonly cacheFolder?: CacheFolder | undefined;
  readonly log?: Environment["log"] | undefined;
  /** Maximum number of commits in a history. By default {@link MAX_JUDGED_COMMITS}. */
  readonly maxCommits?: number;
  /** Maximum total size of the texts in a history, in bytes. By default {@link MAX_JUDGED_BYTES}. */
  readonly maxBytes?: number;
}

const OidText = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/), v.transform((text) => text as Oid));
const SavedSchema = v.strictObject({
  tip: OidText,
  judgement: v.union([v.strictObject({ shown: OidText }), v.strictObject({ refusal: v.string() })]),
});

/** Checks histories of signed references. Each history is checked only once. */
export class SigrefsJudge {
  readonly #judged: LruMap<string, Judgement>;
  readonly #underWay = new SingleFlight<Judgement>();
  readonly #folder: CacheFolder | undefined;
  readonly #log: Environment["log"];
  readonly #max: { readonly commits: number; readonly bytes: number };

  constructor(memory: Memory = new Memory(), options: SigrefsJudgeOptions = {}) {
    this.#judged = memory.map("signedRefs", () => JUDGEMENT_BYTES);
    this.#folder = options.cacheFolder;
    this.#log = options.log ?? (() => {});
    this.#max = {
      commits: options.maxCommits ?? MAX_JUDGED_COMMITS,
      bytes: options.maxBytes ?? MAX_JUDGED_BYTES,
    };
  }

  /**
   * Returns the commit whose references are valid: the last commit, or after a replay the newest commit
   * before the replay.
   *
   * @throws {WrongSigrefs} when the history is refused, or too long.
   * @throws {DamagedError} when a part of the history cannot be read.
   */
  async shown(low: LowHead): Promise<Oid> {
    const { repository, nid, tip } = low;
    const key = `${repository.rid} ${nid} ${tip}`;
    const known = this.#judged.get(key);
    const judgement = known !== undefined && await isInForce(known, repository)
      ? known
      : await this.#underWay.join(key, () => this.#judge(key, low), undefined);
    if ("shown" in judgement) return judgement.shown;
    const { refusal, objectsVersion } = judgement;
    throw objectsVersion === undefined ? new WrongSigrefs(refusal) : new DamagedError(refusal);
  }

  async #judge(key: string, low: LowHead): Promise<Judgement> {
    const name = `sigrefs-${SAVED_VERSION}-${low.repository.rid.slice("rad:".length)}-${low.nid}`;
    const judgement = await this.#saved(name, low.tip) ?? await this.#walk(name, low);
    if ("refusal" in judgement && judgement.refusal === TOO_LONG) {
      this.#log("warn", `${TOO_LONG}: node ${low.nid} in ${low.repository.rid} is not shown`);
    }
    this.#judged.set(key, judgement);
    return judgement;
  }

  async #walk(name: string, low: LowHead): Promise<Judgement> {
    const objectsVersion = await low.repository.objectsVersion?.();
    const history = new WalkedHistory(low, this.#max);
    let judgement: Judgement;
    try {
      judgement = { shown: await history.walk() };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (!(error instanceof WrongSigrefs)) {
        // The missing object may be fetched later.
        if (objectsVersion === undefined) throw error;
        return { refusal: error.message, objectsVersion };
      }
      judgement = { refusal: error.message };
    }
    if (history.length >= SAVED_COMMITS) await this.#save(name, low.tip, judgement);
    return judgement;
  }

  async #saved(name: string, tip: Oid): Promise<Judgement | undefined> {
    try {
      const bytes = await this.#folder?.read(name);
      if (bytes === undefined) return undefined;
      const result = v.safeParse(SavedSchema, JSON.parse(new TextDecoder().decode(bytes)));
      return result.success && result.output.tip === tip ? result.output.judgement : undefined;
    } catch {
      return undefined;
    }
  }

  async #save(name: string, tip: Oid, judgement: Judgement): Promise<void> {
    try {
      await this.#folder?.write(name, new TextEncoder().encode(JSON.stringify({ tip, judgement })));
    } catch {
      // Without the saved result, the next process reads the history again.
    }
  }
}

async function isInForce(judgement: Judgement, repository: Repository): Promise<boolean> {
  return "shown" in judgement || judgement.objectsVersion === undefined ||
    judgement.objectsVersion === await repository.objectsVersion?.();
}

class WalkedHistory {
  readonly #low: LowHead;
  readonly #max: { readonly commits: number; readonly bytes: number };
  readonly #oids: Oid[] = [];
  readonly #walked: Pick<SigrefsCommit, "level" | "signature">[] = [];
  /** For each signature, the index of the oldest commit with this signature. */
  readonly #earliest = new Map<string, number>();

  constructor(low: LowHead, max: { readonly commits: number; readonly bytes: number }) {
    this.#low = low;
    this.#max = max;
  }

  get length(): number {
    return this.#oids.length;
  }

  /**
   * Reads the history, and returns the newest commit that has the level of the last commit and is not a
   * replay. A commit is a replay if an older commit has the same signature. No commit may have a higher level
   * than the last commit.
   */
  async walk(): Promise<Oid> {
    const { tip, head, commits, task } = this.#low;
    let bytes = 0;
    let [oid, commit]: [Oid | undefined, SigrefsCommit] = [tip, head];
    for (;;) {
      if (LEVELS.indexOf(commit.level) > LEVELS.indexOf(head.level)) {
        throw new WrongSigrefs("Signed references have a lower level than earlier ones");
      }
      const { level, signature, parent } = commit;
      this.#earliest.set(signature, this.#oids.length);
      this.#walked.push({ level, signature });
      this.#oids.push(oid);
      if (parent === undefined) break;
      bytes += commit.bytes;
      if (this.length >= this.#max.commits || bytes > this.#max.bytes) {
        throw new WrongSigrefs(TOO_LONG);
      }
      await task.yield();
      oid = parent;
      commit = await commits.verified(parent);
    }
    const shown = this.#walked.findIndex(({ level, signature }, i) =>
      level === head.level && this.#earliest.get(signature) === i
    );
    return this.#oids[shown]!;
  }
}

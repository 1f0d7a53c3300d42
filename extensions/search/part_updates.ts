/**
 * Keeps a part of the full-text index up to date. When a client searches, repositories whose references have
 * changed since the last update are put into the index again.
 */
import {
  type Cobs,
  type CommitGraphs,
  digest,
  digestOfRefs,
  type Environment,
  type Identities,
  type IdentityDoc,
  isUnreadable,
  type RepoId,
  type Repository,
  type ResolvedRef,
  resolveRefs,
  sortRids,
  type Storage,
  Task,
  within,
} from "../../src/mod.ts";
import { type SearchIndex, SearchIndexError, type SearchPart, type SearchText } from "./search_index.ts";
import { textOfIssue, textOfPatch, textOfProject } from "./texts.ts";

/** Maximum time that a search waits for an update of the index, in milliseconds. */
export const MAX_WAIT_MS = 1000;
/** Maximum time that a search waits for the first update of this process, in milliseconds. */
export const MAX_FIRST_WAIT_MS = 10_000;
/**
 * Maximum time for which the result of an update counts as current, in milliseconds. After this time, a
 * search compares the references again.
 */
export const MAX_TRUSTED_MS = 30_000;
/** Factor between the duration of an update and the time for which its result counts as current. */
const TRUSTED_SHARE = 20;
/**
 * Approximate size of the texts that one call puts into the index, in bytes. Searches wait for the end of the
 * call.
 */
const PUT_BYTES = 128 * 1024;

export interface PartUpdatesOptions {
  readonly index: SearchIndex;
  readonly storage: Storage;
  readonly cobs: Cobs;
  /** Name of the rules by which issues and patches are evaluated. */
  readonly evaluation: string;
  readonly identities: Identities;
  readonly graphs: Pick<CommitGraphs, "open">;
  readonly log: Environment["log"];
  readonly logFailure: (error: unknown) => void;
}

/** A repository of this part of the index, with the current state of its references. */
interface Examined {
  readonly rid: RepoId;
  readonly repository: Repository;
  readonly doc: IdentityDoc;
  /** Text that changes whenever the texts of the repository may have changed. */
  readonly state: string;
  /** References of issues and patches. */
  readonly refs: readonly ResolvedRef[];
}

export class PartUpdates {
  readonly #part: SearchPart;
  readonly #options: PartUpdatesOptions;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #trustedUntilMs = -Infinity;
  /** Whether an update has ended since the index was opened or lost texts. */
  #isComplete = false;
  #changes = 0;
  #isClosed = false;

  constructor(part: SearchPart, options: PartUpdatesOptions) {
    this.#part = part;
    this.#options = options;
  }

  /** Call this method when repositories have changed. */
  expectChanges(): void {
    this.#changes++;
    this.#trustedUntilMs = -Infinity;
  }

  /** Call this method when the index may have lost texts. The next update then compares all repositories. */
  beginAnew(): void {
    this.expectChanges();
    this.#isComplete = false;
  }

  /** Stops the running update, and waits for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  /**
   * Updates the index, unless the last update still counts as current. Returns whether the index is up to
   * date. Never rejects.
   */
  async waitForChanges(): Promise<boolean> {
    if (performance.now() < this.#trustedUntilMs && this.#running === undefined) return true;
    const update = this.#running === undefined
      ? this.#start()
      : this.#next ??= this.#startAfter(this.#running);
    const waitMs = this.#isComplete ? MAX_WAIT_MS : MAX_FIRST_WAIT_MS;
    return await within(update, waitMs).catch(() => false);
  }

  async #startAfter(running: Promise<boolean>): Promise<boolean> {
    await running;
    this.#next = undefined;
    return await (this.#running ?? this.#start());
  }

  /** Resolves with `true` if the update succeeded, and otherwise with `false`. */
  #start(): Promise<boolean> {
    const update = this.#update().catch((error) => {
      if (error instanceof SearchIndexError && error.obstacle === "lost") return this.#update();
      throw error;
    });
    const run = update.then(() => !this.#isClosed, (error) => {
      this.#options.logFailure(error);
      return false;
    }).finally(() => {
      this.#running = undefined;
    });
    this.#running = run;
    return run;
  }

  /**
   * Removes the repositories that no longer belong to this part. Then puts the texts of changed repositories
   * into the index, small repositories first.
   */
  async #update(): Promise<void> {
    const { index, storage } = this.#options;
    const part = this.#part;
    const startedMs = performance.now();
    const changes = this.#changes;
    const task = new Task("background");
    const states = await index.states(part);
    const outdated: Examined[] = [];
    const present = new Set<RepoId>();
    for (const rid of sortRids(await storage.repositoryIds())) {
      if (this.#isClosed) return;
      await task.yield();
      const found = await this.#examine(rid, task);
      if (found === undefined) continue;
      present.add(rid);
      const known = states.get(rid);
      if (known !== found.state && known !== await incompleteState(found)) outdated.push(found);
    }
    const tookMs = performance.now() - startedMs;
    for (const rid of states.keys()) {
      if (present.has(rid)) continue;
      while (!this.#isClosed && await index.remove(part, rid)) { /* Continues to remove. */ }
    }
    outdated.sort((a, b) => a.refs.length - b.refs.length);
    for (const repository of outdated) {
      if (this.#isClosed) return;
      await this.#putTexts(repository, task);
    }
    while (!this.#isClosed && await index.tidy(part)) { /* Continues to erase. */ }
    this.#isComplete = true;
    if (changes !== this.#changes) return;
    this.#trustedUntilMs = startedMs + tookMs + Math.min(MAX_TRUSTED_MS, TRUSTED_SHARE * tookMs);
  }

  /**
   * Reads the state of a repository; `undefined` when the repository belongs to the other part of the index,
   * or cannot be read.
   */
  async #examine(rid: RepoId, task: Task): Promise<Examined | undefined> {
    const { storage, identities, evaluation, logFailure } = this.#options;
    try {
      const repository = await storage.repository(rid);
      if (repository === undefined) return undefined;
      const doc = await identities.doc(repository, task);
      if ((doc.visibility.type === "public") !== (this.#part === "public")) return undefined;
      const issues = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.issue/", task);
      const patches = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.patch/", task);
      const project = doc.project && [doc.project.name, doc.project.description];
      const state = JSON.stringify([
        evaluation,
        digest(JSON.stringify(project ?? null)),
        await digestOfRefs(issues, task),
        await digestOfRefs(patches, task),
      ]);
      return { rid, repository, doc, state, refs: [...issues, ...patches] };
    } catch (error) {
      if (!isUnreadable(error)) logFailure(error);
      return undefined;
    }
  }

  async #putTexts(found: Examined, task: Task): Promise<void> {
    const { rid, state, refs } = found;
    const part = this.#part;
    const { index, log } = this.#options;
    const stateIfIncomplete = await incompleteState(found);
    const keys: string[] = [];
    let left = 0;
    let batch: SearchText[] = [];
    let batchBytes = 0;
    const putBatch = async () => {
      left += await index.put(part, rid, batch);
      batch = [];
      batchBytes = 0;
    };
    for await (const text of this.#textsOf(found, task)) {
      if (this.#isClosed) return;
      keys.push(text.key);
      batch.push(text);
      batchBytes += 3 * (text.title.length + text.body.length);
      if (batchBytes >= PUT_BYTES) await putBatch();
      await task.yield();
    }
    if (batch.length > 0) await putBatch();
    if (left > 0) log("warn", `The search index has no space for ${left} texts of ${rid}`);
    const objects = keys.filter((key) => key !== "repository").length;
    const newState = objects < countObjects(refs) ? stateIfIncomplete : state;
    while (!this.#isClosed && await index.finish(part, rid, keys, newState)) { /* Continues to remove. */ }
  }

  async *#textsOf({ rid, repository, doc }: Examined, task: Task): AsyncGenerator<SearchText, void> {
    const { cobs, graphs, log } = this.#options;
    if (doc.project !== undefined) yield textOfProject(doc.project);
    try {
      const opened = graphs.open(repository, task);
      for (const issue of await cobs.issues.list(opened)) yield textOfIssue(issue);
      for (const patch of await cobs.patches.list(opened)) yield textOfPatch(patch);
    } catch (error) {
      // Other repositories can still be searched.
      log("warn", `Some issues and patches of ${rid} cannot be searched`, error);
    }
  }
}

/**
 * Counts the issues and patches of references. An issue or patch may have references in several namespaces.
 */
function countObjects(refs: readonly ResolvedRef[]): number {
  return new Set(refs.map(({ name }) => name.slice(name.indexOf("/refs/cobs/")))).size;
}

/**
 * Returns the state of a repository with missing objects. The state changes when the repository gets more
 * objects.
 */
async function incompleteState({ state, repository }: Examined): Promise<string> {
  return `${state} ${await repository.objectsVersion?.()}`;
}

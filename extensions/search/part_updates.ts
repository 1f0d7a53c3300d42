/**
 * Keeps a part of the full-text index up to date. When a client searches, the references of all repositories
 * are compared with the states in the index. Then the texts of the repositories that have changed are put
 * into the index.
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

/** Timeout for which a search waits for an update, in milliseconds. */
export const MAX_WAIT_MS = 1000;
/**
 * Timeout for which a search waits for an update, in milliseconds, as long as no update of this process has
 * ended.
 */
export const MAX_FIRST_WAIT_MS = 10_000;
/**
 * Maximum time for which a comparison of the references is trusted, in milliseconds. After this time, a
 * search compares the references again.
 */
export const MAX_TRUSTED_MS = 30_000;
/**
 * A comparison of the references is trusted for this multiple of the time that it took, but at most for
 * {@link MAX_TRUSTED_MS}.
 */
const TRUSTED_SHARE = 20;
/**
 * Approximate number of bytes of texts that are put into the index in one call. Searches wait for such a call
 * to end.
 */
const PUT_BYTES = 128 * 1024;

/** The parts of the service that updates use. */
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

/** A repository of the part, with the current state of its references. */
interface Examined {
  readonly rid: RepoId;
  readonly repository: Repository;
  readonly doc: IdentityDoc;
  /** State of the repository. This text changes whenever the texts of the repository may have changed. */
  readonly state: string;
  /** References of issues and patches. */
  readonly refs: readonly ResolvedRef[];
}

/** Updates one part of the index. */
export class PartUpdates {
  readonly #part: SearchPart;
  readonly #options: PartUpdatesOptions;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #trustedUntilMs = -Infinity;
  /** Whether an update has ended since the index was opened or lost texts. */
  #isComplete = false;
  /** Number of calls of {@link expectChanges}. */
  #changes = 0;
  #isClosed = false;

  constructor(part: SearchPart, options: PartUpdatesOptions) {
    this.#part = part;
    this.#options = options;
  }

  /** Reports that repositories have changed. */
  expectChanges(): void {
    this.#changes++;
    this.#trustedUntilMs = -Infinity;
  }

  /** Reports that the index may have lost texts, so that all repositories have to be compared again. */
  beginAnew(): void {
    this.expectChanges();
    this.#isComplete = false;
  }

  /** Makes the running update end early, and waits for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  /**
   * Waits for an update that begins now or later, unless the last update can still be trusted. Returns
   * whether the part is then up to date. Never rejects.
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

  /**
   * Starts an update. The promise resolves with `true` if the update succeeded, and otherwise with `false`.
   */
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
   * Removes the repositories that no longer belong to the part. Then puts the texts of changed repositories
   * into the index, small repositories before large repositories.
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
   * Reads the state of a repository. Returns `undefined` when the repository belongs to the other part of the
   * index, or cannot be read.
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

  /**
   * Puts the texts of a repository into the index, and removes the texts that the repository no longer has.
   */
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
      // The error affects only this repository. Other repositories can still be searched.
      log("warn", `Some issues and patches of ${rid} cannot be searched`, error);
    }
  }
}

/**
 * Returns how many issues and patches the references belong to. An issue or patch may have references in
 * several namespaces.
 */
function countObjects(refs: readonly ResolvedRef[]): number {
  return new Set(refs.map(({ name }) => name.slice(name.indexOf("/refs/cobs/")))).size;
}

/**
 * Returns the state of a repository in which objects are missing. This state changes when the repository gets
 * more objects.
 */
async function incompleteState({ state, repository }: Examined): Promise<string> {
  return `${state} ${await repository.objectsVersion?.()}`;
}

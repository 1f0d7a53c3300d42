/**
 * Search: keeps the two parts of the full-text index up to date, and asks them. References are compared when
 * somebody searches; what has changed is evaluated by the caches of issues and patches, and put into the
 * index in portions.
 */
import { within } from "../../src/async/timer.ts";
import { Limiter } from "../../src/scheduling/limiter.ts";
import { Task } from "../../src/scheduling/task.ts";
import type { Cobs } from "../../src/cob/evaluation/store.ts";
import { isUnreadable, messageOf, UnavailableError } from "../../src/errors.ts";
import type { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { digestOfRefs, type ResolvedRef, resolveRefs } from "../../src/git/references.ts";
import type { IdentityDoc } from "../../src/identity/doc.ts";
import type { Identities } from "../../src/identity/identity.ts";
import { type RepoId, sortRids } from "../../src/ids/rid.ts";
import { digest } from "../../src/text/digest.ts";
import type { Environment } from "../../src/ports/environment.ts";
import {
  type SearchHit,
  type SearchIndex,
  SearchIndexError,
  type SearchPart,
  type SearchText,
} from "./search_index.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import { type QueryResult, runQuery } from "./query.ts";
import { textOfIssue, textOfPatch, textOfProject } from "./texts.ts";
import { toExpression, wordsOf } from "./words.ts";

/** Version of the texts in the index, which are made again when it changes. */
const TEXTS_VERSION = 1;
/** Time that a search waits for the index to be brought up to date, in milliseconds. */
export const MAX_WAIT_MS = 1000;
/** The same while the process has not yet compared all references once. */
export const MAX_FIRST_WAIT_MS = 10_000;
/** Longest time for which references are not compared again, in milliseconds. */
export const MAX_TRUSTED_MS = 30_000;
/** References are not compared again for so many times the time that the last comparison took. */
const TRUSTED_SHARE = 20;
/** Bytes of texts that are put into the index at once, approximately. */
const PORTION_BYTES = 128 * 1024;
/** Texts that are removed from the index at once. */
const KEYS_AT_ONCE = 64;
/** Searches at a time. One more is refused. */
export const MAX_SEARCHES = 32;
/** The same of one client. */
export const MAX_SEARCHES_OF_CLIENT = 8;
/** The owner takes turns with other clients as one of them. */
const OWNER = "owner";
/** Tries of a search in an index of which parts are lost meanwhile. */
const TRIES = 3;
/** `Retry-After` of a refused search, in seconds. */
const RETRY_SECONDS = 2;

const PARTS: readonly SearchPart[] = ["public", "private"];

/** Parts of the service that a search needs. */
export interface SearchDependencies {
  readonly index: SearchIndex;
  readonly storage: Storage;
  readonly cobs: Cobs;
  /** Name of the rules by which issues and patches are evaluated. */
  readonly evaluation: string;
  readonly identities: Identities;
  readonly graphs: Pick<CommitGraphs, "open">;
  readonly log: Environment["log"];
}

/** A request for texts. */
export interface SearchFor {
  /** The words, at most `MAX_QUERY_CHARACTERS` characters. */
  readonly query: string;
  readonly offset: number;
  readonly limit: number;
  /** Key of the client (`clientKey`); `undefined` for the owner. */
  readonly client?: string | undefined;
  readonly task: Task;
  /** Whether texts of private repositories are searched. */
  readonly isOwner: boolean;
  /** Whether the client may read a repository now. */
  isVisible(rid: RepoId): Promise<boolean>;
}

/** The result of a search. */
export interface Found {
  /** Number of all found texts. */
  readonly total: number;
  /** Those on the page. */
  readonly hits: readonly SearchHit[];
  /**
   * Whether the index has all changes of which the references told when the search began, and there was time
   * for all of its texts.
   */
  readonly isComplete: boolean;
  /** The words that were looked for. */
  readonly words: readonly string[];
}

/** A repository whose texts are behind its references. */
interface Outdated {
  readonly rid: RepoId;
  readonly repository: Repository;
  readonly doc: IdentityDoc;
  readonly state: string;
  /** References to issues and patches. */
  readonly refs: readonly (readonly ResolvedRef[])[];
}

/** Searches of a service. */
export class Search {
  readonly #dependencies: SearchDependencies;
  readonly #parts: Readonly<Record<SearchPart, PartUpdates>>;
  readonly #searches = new Limiter({ atOnce: MAX_SEARCHES, ofKey: MAX_SEARCHES_OF_CLIENT }, {
    waiting: 0,
    refusal: tooMany,
  });
  /** Looks at the index, one at a time: the next one is that of the client that has used the least time. */
  readonly #turns = new Limiter({ atOnce: 1 });
  #isClosed = false;
  #lastFailure = "";

  constructor(dependencies: SearchDependencies) {
    this.#dependencies = dependencies;
    const logFailure = (error: unknown) => this.#logFailure(error);
    const updatesOf = (part: SearchPart) => new PartUpdates(part, dependencies, logFailure);
    this.#parts = { public: updatesOf("public"), private: updatesOf("private") };
  }

  /** Number of looks at the index that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * Finds texts. Waits at most {@link MAX_WAIT_MS} for changes to be indexed, the first time
   * {@link MAX_FIRST_WAIT_MS}.
   *
   * @throws {UnavailableError} when too many searches are waiting, or the index cannot be used now.
   */
  async find(wanted: SearchFor): Promise<Found> {
    const words = wordsOf(wanted.query);
    const expression = toExpression(words);
    if (expression === undefined) return { total: 0, hits: [], isComplete: true, words };
    if (this.#isClosed) throw tooMany();
    const found = await this.#searches.run(() => this.#findNow(expression, wanted), {
      keys: [wanted.client],
    });
    return { ...found, words };
  }

  async #findNow(expression: string, wanted: SearchFor): Promise<Omit<Found, "words">> {
    const { index } = this.#dependencies;
    // Strangers wait for nothing private, so that nothing that they get shows when that changes.
    const parts = wanted.isOwner ? PARTS : PARTS.slice(0, 1);
    if (!wanted.isOwner) void this.#parts.private.waitForChanges();
    const updates = parts.map((part) => this.#parts[part]);
    try {
      for (let attempt = 1;; attempt++) {
        const areCurrent = await Promise.all(updates.map((one) => one.waitForChanges()));
        const isCurrent = !areCurrent.includes(false);
        const { isWhole, ...found } = await this.#find(expression, parts, wanted);
        const edition = await index.edition?.();
        if (!isCurrent || updates.every((one) => one.edition === edition)) {
          return { ...found, isComplete: isCurrent && isWhole };
        }
        // A part of the index was lost: it has been made anew, and is empty.
        for (const one of updates) one.beginAnew();
        if (attempt === TRIES) throw unavailable("The search index is made anew");
      }
    } catch (error) {
      if (!(error instanceof SearchIndexError)) throw error;
      this.#logFailure(error);
      throw unavailable("The search index cannot be used now");
    }
  }

  #find(
    expression: string,
    parts: readonly SearchPart[],
    { client, ...wanted }: SearchFor,
  ): Promise<QueryResult> {
    const keys = [client ?? OWNER];
    return runQuery(this.#dependencies.index, {
      ...wanted,
      expression,
      parts,
      isVisible: (rid) => wanted.isVisible(rid),
      inTurn: (work) => this.#turns.run(work, { keys }),
    });
  }

  /** Says that something has been written, so that the next search compares the references again. */
  expectChanges(): void {
    for (const part of PARTS) this.#parts[part].expectChanges();
  }

  /** Ends the work in the background. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // What an update waits for fails when the index closes.
    await Promise.all([...PARTS.map((part) => this.#parts[part].close()), this.#dependencies.index.close()]);
  }

  /** Logs a failure, and not the same one again and again. */
  #logFailure(error: unknown): void {
    const message = messageOf(error);
    if (this.#isClosed || message === this.#lastFailure) return;
    this.#lastFailure = message;
    this.#dependencies.log("warn", "The search index could not be used", error);
  }
}

/** Brings a part of the index up to date. */
class PartUpdates {
  readonly #part: SearchPart;
  readonly #dependencies: SearchDependencies;
  readonly #logFailure: (error: unknown) => void;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #trustedUntilMs = -Infinity;
  #isComplete = false;
  /** Edition of the index when the last complete update began. */
  edition: string | undefined;
  /** Changes that this process has written. */
  #changes = 0;
  #isClosed = false;

  constructor(part: SearchPart, dependencies: SearchDependencies, logFailure: (error: unknown) => void) {
    this.#part = part;
    this.#dependencies = dependencies;
    this.#logFailure = logFailure;
  }

  expectChanges(): void {
    this.#changes++;
    this.#trustedUntilMs = -Infinity;
  }

  /** Says that the part may have been lost. */
  beginAnew(): void {
    this.expectChanges();
    this.#isComplete = false;
  }

  /** Ends the work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  /**
   * Waits for an update that begins now or later, unless the last one can be trusted still. Returns whether
   * the part is up to date then.
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

  /** Starts an update; resolves to whether it succeeded. */
  #start(): Promise<boolean> {
    const run = this.#update().then(() => !this.#isClosed, (error) => {
      this.#logFailure(error);
      return false;
    }).finally(() => {
      this.#running = undefined;
    });
    return this.#running = run;
  }

  /** Brings the part up to date. What does not belong to it any more goes first, then small ones come. */
  async #update(): Promise<void> {
    const { index, storage } = this.#dependencies;
    const part = this.#part;
    const startedMs = performance.now();
    const changes = this.#changes;
    const task = new Task("background");
    const edition = await index.edition?.();
    const states = await index.states(part);
    const outdated: Outdated[] = [];
    const present = new Set<RepoId>();
    for (const rid of sortRids(await storage.repositoryIds())) {
      if (this.#isClosed) return;
      await task.yield();
      const found = await this.#examine(rid, task);
      if (found === undefined) continue;
      present.add(rid);
      const known = states.get(rid);
      if (known !== found.state && known !== await incomplete(found)) outdated.push(found);
    }
    const tookMs = performance.now() - startedMs;
    for (const rid of states.keys()) {
      if (present.has(rid)) continue;
      while (!this.#isClosed && await index.remove(part, rid)) { /* The next portion. */ }
    }
    outdated.sort((a, b) => countRefs(a) - countRefs(b));
    for (const repository of outdated) {
      if (this.#isClosed) return;
      await this.#refresh(repository, task);
    }
    while (!this.#isClosed && await index.tidy(part)) { /* The next step. */ }
    this.edition = edition;
    this.#isComplete = true;
    if (changes !== this.#changes) return;
    this.#trustedUntilMs = startedMs + tookMs + Math.min(MAX_TRUSTED_MS, TRUSTED_SHARE * tookMs);
  }

  /** The state of a repository; `undefined` when it belongs to the other part, or cannot be read. */
  async #examine(rid: RepoId, task: Task): Promise<Outdated | undefined> {
    const { storage, identities, evaluation } = this.#dependencies;
    try {
      const repository = await storage.repository(rid);
      if (repository === undefined) return undefined;
      const doc = await identities.doc(repository, task);
      if ((doc.visibility.type === "public") !== (this.#part === "public")) return undefined;
      const issues = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.issue/", task);
      const patches = await resolveRefs(repository, "refs/namespaces/*/refs/cobs/xyz.radicle.patch/", task);
      const project = doc.project && [doc.project.name, doc.project.description];
      const state = JSON.stringify([
        TEXTS_VERSION,
        evaluation,
        digest(JSON.stringify(project ?? null)),
        await digestOfRefs(issues, task),
        await digestOfRefs(patches, task),
      ]);
      return { rid, repository, doc, state, refs: [issues, patches] };
    } catch (error) {
      if (!isUnreadable(error)) this.#logFailure(error);
      return undefined;
    }
  }

  /** Puts the texts of a repository into the index, those that have changed. */
  async #refresh(found: Outdated, task: Task): Promise<void> {
    const { rid, repository, doc, state, refs } = found;
    const part = this.#part;
    const { index, cobs, graphs, log } = this.#dependencies;
    const stateIfIncomplete = await incomplete(found);
    const outdated = new Map(await index.digests(part, rid));
    let portion: SearchText[] = [];
    let bytes = 0;
    let left = 0;
    let listed = 0;
    const put = async (text: SearchText | undefined) => {
      if (text !== undefined) {
        const known = outdated.get(text.key);
        outdated.delete(text.key);
        if (known === text.digest) return;
        portion.push(text);
        bytes += 3 * (text.title.length + text.body.length);
      }
      if (portion.length === 0 || text !== undefined && bytes < PORTION_BYTES) return;
      left += await index.put(part, rid, portion);
      [portion, bytes] = [[], 0];
    };
    if (doc.project !== undefined) await put(textOfProject(doc.project));
    try {
      const opened = graphs.open(repository, task);
      for (const issue of await cobs.issues.list(opened)) {
        if (this.#isClosed) return;
        listed++;
        await put(textOfIssue(issue));
        await task.yield();
      }
      for (const patch of await cobs.patches.list(opened)) {
        if (this.#isClosed) return;
        listed++;
        await put(textOfPatch(patch));
        await task.yield();
      }
    } catch (error) {
      // One repository does not hold up the others.
      if (error instanceof SearchIndexError) throw error;
      log("warn", `Some issues and patches of ${rid} cannot be searched`, error);
    }
    await put(undefined);
    const gone = [...outdated.keys()];
    for (let at = 0; at < gone.length; at += KEYS_AT_ONCE) {
      await index.drop(part, rid, gone.slice(at, at + KEYS_AT_ONCE));
    }
    if (left > 0) log("warn", `The search index has no room for ${left} texts of ${rid}`);
    await index.finish(
      part,
      rid,
      listed < refs.reduce((sum, refs) => sum + countObjects(refs), 0) ? stateIfIncomplete : state,
    );
  }
}

/** Number of objects: each may have references in several namespaces. */
function countObjects(refs: readonly ResolvedRef[]): number {
  return new Set(refs.map(({ name }) => name.slice(name.lastIndexOf("/") + 1))).size;
}

function countRefs({ refs }: Outdated): number {
  return refs.reduce((sum, { length }) => sum + length, 0);
}

/**
 * The state of a repository of which objects are missing: it changes when the repository has more of them.
 */
async function incomplete({ state, repository }: Outdated): Promise<string> {
  return `${state} ${await repository.objectsVersion?.()}`;
}

function tooMany(): UnavailableError {
  return unavailable("Too many searches are waiting");
}

function unavailable(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: RETRY_SECONDS });
}

/**
 * Reads repositories, policies and the state of the node, and logs an event for each difference to the last
 * state.
 */
import {
  type Cobs,
  type CommitGraphs,
  CoreError,
  didOfNid,
  digestOfRefs,
  type Environment,
  type Identities,
  isCatalogued,
  mapAtOnce,
  messageOf,
  type RadicleNode,
  type RepoId,
  type Repository,
  resolveRefs,
  type Storage,
  Task,
} from "../../src/mod.ts";
import type { LiveEvent } from "./contract.ts";
import { CHECKS_AFTER_CHANGE, DueRepositories } from "./due_repositories.ts";
import type { Audience, EventLogs } from "./log.ts";
import {
  MAX_WATCHED,
  type MovedObject,
  movedObjects,
  type MovedReference,
  movedReferences,
  type RepositoryState,
  RepositoryStates,
} from "./moved_references.ts";

/**
 * Maximum number of issues and patches of a repository that are evaluated in one check. After more changes,
 * the event is a `reset` of the repository.
 */
export const MAX_OBJECTS = 64;
/** Maximum length of a title in an event, in UTF-16 units. */
export const MAX_TITLE_LENGTH = 1024;
/** Maximum number of repositories of a bucket that are read at the same time. */
const READS_AT_ONCE = 8;
/**
 * Number of checks between two requests for the state of the node. The state is requested only if the node
 * does not send events.
 */
const CHECKS_FOR_STATUS = 10;
/** Approximate maximum length of the references in one event, in characters. */
const REFERENCES_LENGTH = 6000;
/**
 * Length of the entry of a moved reference in an event, without the name of the reference, in characters. The
 * entry has two ids and the syntax of JSON.
 */
const REFERENCE_LENGTH = 120;

export interface WatcherOptions {
  readonly storage: Storage;
  readonly node: RadicleNode;
  readonly names: Pick<RadicleNode, "aliases">;
  readonly cobs: Cobs;
  readonly identities: Identities;
  readonly graphs: Pick<CommitGraphs, "open">;
  readonly report: Environment["log"];
}

/**
 * Compares the current state of repositories with the last state, and logs the differences. Calls must not
 * overlap.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #logs: EventLogs;
  readonly #states = new RepositoryStates();
  /** Chooses the repositories that a check reads; `undefined` if each check reads all repositories. */
  readonly #due: DueRepositories | undefined;
  #checks = 0;
  #hasListed = false;
  /**
   * Repositories of the first list that have not been read yet. They are not logged as added when they are
   * first read.
   */
  readonly #unread = new Set<RepoId>();
  /**
   * For each repository of the first list, the number of the check that first read the repository. A change
   * that the storage reports later may already be part of the state that this check read. Old entries are
   * removed.
   */
  readonly #firstReads = new Map<RepoId, number>();
  #policies: ReadonlyMap<RepoId, string> | undefined;
  #nodeState: "running" | "stopped" | undefined;
  #reported = "";

  constructor(options: WatcherOptions, logs: EventLogs) {
    this.#options = options;
    this.#logs = logs;
    const { storage } = options;
    if (isCatalogued(storage)) {
      this.#due = new DueRepositories(storage, (place) => storage.changesAfter(place));
    }
  }

  /** Whether a check reads only a limited number of repositories. */
  get areChecksBounded(): boolean {
    return this.#due !== undefined;
  }

  /** Logs all changes. Never rejects. Returns whether the repositories could be listed. */
  async check(task: Task): Promise<boolean> {
    this.#checks++;
    try {
      if (this.#due === undefined) await this.#readAll(task);
      else await this.#readDue(this.#due, task);
    } catch (error) {
      this.#report(error);
      return false;
    }
    for (const [rid, check] of this.#firstReads) {
      if (this.#checks - check >= CHECKS_AFTER_CHANGE) this.#firstReads.delete(rid);
    }
    // The policies are read first, because on a replica this read updates the description of the node.
    for (const read of [() => this.#readPolicies(task), () => this.#readStatus()]) {
      await read().catch((error) => this.#report(error));
    }
    return true;
  }

  /**
   * Logs the changes of one repository. Never rejects.
   *
   * @param hasChanged Whether the repository is known to have changed, even if its last state is unknown.
   * @returns whether a change was logged.
   */
  async checkOne(rid: RepoId, task: Task, hasChanged = false): Promise<boolean> {
    try {
      const repository = await this.#options.storage.repository(rid);
      if (repository === undefined) return this.#forget(rid);
      const before = this.#states.get(rid);
      const isWatched = before !== undefined || this.#states.size < MAX_WATCHED;
      if (!isWatched && !hasChanged) return false;
      const now = await this.#stateOf(repository, before);
      if (isWatched) this.#states.set(rid, now);
      if (before !== undefined && now !== before) {
        await this.#compare(repository, before, now, task);
        return true;
      }
      if (before === undefined && isWatched) {
        if (!this.#unread.delete(rid)) {
          this.#logRepository(rid, now, "added");
          return true;
        }
        this.#firstReads.set(rid, this.#checks);
      }
      if (!hasChanged) return false;
      const isChangeUnknown = !isWatched || this.#firstReads.delete(rid);
      if (!isChangeUnknown) return false;
      this.#logs.append({ type: "reset", rid }, audienceOf(now));
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Logs an event when the node has started or stopped. */
  nodeIs(state: "running" | "stopped"): void {
    if (this.#nodeState !== undefined && this.#nodeState !== state) {
      this.#logs.append({ type: "node", state }, "all");
    }
    this.#nodeState = state;
  }

  async #readAll(task: Task): Promise<void> {
    const rids = await this.#options.storage.repositoryIds();
    this.#expectFirst(rids);
    for (const rid of rids) {
      await this.checkOne(rid, task);
      await task.yield();
    }
    const present = new Set(rids);
    for (const rid of this.#states.rids()) if (!present.has(rid)) this.#forget(rid);
  }

  async #readDue(due: DueRepositories, task: Task): Promise<void> {
    const rids = await due.update();
    this.#expectFirst(rids);
    await mapAtOnce(due.take(rids), READS_AT_ONCE, async ({ rid, hasChanged }) => {
      if (await this.checkOne(rid, task, hasChanged)) due.found(rid);
    });
  }

  /** Stores the first list of repositories. Later lists are ignored. */
  #expectFirst(rids: readonly RepoId[]): void {
    if (this.#hasListed) return;
    this.#hasListed = true;
    for (const rid of rids) this.#unread.add(rid);
  }

  /** Returns the state of a repository, or the object `before` itself if nothing has changed. */
  async #stateOf(repository: Repository, before: RepositoryState | undefined): Promise<RepositoryState> {
    // A new task is used, because the task of the checks yields to requests, and readers wait for this state.
    const task = new Task();
    // The order of the reads matters. The version must not be newer than the references, and the identity
    // document must not be older than the references.
    const version = await repository.refsVersion?.();
    if (before !== undefined && version !== undefined && version === before.version) return before;
    const refs = await resolveRefs(repository, "refs/", task);
    if (version === undefined && before?.refs === refs) return before;
    const digest = await digestOfRefs(refs, task);
    const isPublic = await this.#options.identities.isPublic(repository, task);
    return { version, isPublic, digest, refs };
  }

  async #compare(
    repository: Repository,
    before: RepositoryState,
    now: RepositoryState,
    task: Task,
  ): Promise<void> {
    const { rid } = repository;
    if (before.isPublic !== now.isPublic) {
      this.#logRepository(rid, now, now.isPublic ? "public" : "private");
    }
    if (before.digest === now.digest) return;
    const audience = audienceOf(now);
    const moved = before.refs && now.refs && await task.run(movedReferences(before.refs, now.refs));
    const objects = moved && await task.run(movedObjects(moved, before.refs!));
    if (moved === undefined || objects!.length > MAX_OBJECTS) {
      this.#logs.append({ type: "reset", rid }, audience);
      return;
    }
    const events: LiveEvent[] = [];
    for (const object of objects!) {
      const event = await this.#eventOf(repository, object, task);
      if (event !== undefined) events.push(event);
      await task.yield();
    }
    // All events are logged at once and at the end, so that a reader who gets the event of an issue can
    // already read the issue.
    for (const references of portions(moved)) {
      this.#logs.append({ type: "references", rid, references }, audience);
    }
    for (const event of events) this.#logs.append(event, audience);
  }

  /** Returns the event of an issue or a patch; `undefined` when the object cannot be evaluated. */
  async #eventOf(
    repository: Repository,
    { type, id, isNew }: MovedObject,
    task: Task,
  ): Promise<LiveEvent | undefined> {
    const { cobs, graphs, names } = this.#options;
    const { rid } = repository;
    const store = type === "issue" ? cobs.issues : cobs.patches;
    const found = await store.get(graphs.open(repository, task), id);
    if (found === undefined) return undefined;
    const { title, state, author } = found.state;
    const alias = (await names.aliases([author])).get(author);
    return {
      type,
      rid,
      change: isNew ? "opened" : "changed",
      id,
      title: title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title,
      state,
      author: { id: didOfNid(author), ...alias !== undefined && { alias } },
    } as LiveEvent;
  }

  #forget(rid: RepoId): boolean {
    const before = this.#states.get(rid);
    this.#unread.delete(rid);
    if (before === undefined) return false;
    this.#states.delete(rid);
    this.#logRepository(rid, before, "removed");
    return true;
  }

  /**
   * Logs that a repository was added or has changed. Clients other than the owner do not get events of a
   * private repository.
   */
  #logRepository(
    rid: RepoId,
    { isPublic }: RepositoryState,
    change: "added" | "removed" | "private" | "public",
  ): void {
    const log = (change: "added" | "removed" | "private" | "public", audience: Audience) =>
      this.#logs.append({ type: "repository", rid, change }, audience);
    if (change === "private" || change === "removed" && isPublic) this.#logs.strangers.hide(rid);
    switch (change) {
      case "private":
        log("removed", "strangers");
        log("private", "owner");
        break;
      case "public":
        log("added", "strangers");
        log("public", "owner");
        break;
      default:
        log(change, audienceOf({ isPublic }));
    }
  }

  async #readPolicies(task: Task): Promise<void> {
    const before = this.#policies;
    const policies = await this.#options.node.policies();
    const now = new Map<RepoId, string>();
    for (const { rid, policy, scope } of policies.slice(0, MAX_WATCHED)) {
      const text = `${policy} ${scope}`;
      now.set(rid, text);
      if (before !== undefined && before.get(rid) !== text) {
        this.#logPolicy({ type: "policy", rid, policy, scope });
      }
      await task.yield();
    }
    for (const rid of before?.keys() ?? []) {
      if (!now.has(rid)) this.#logPolicy({ type: "policy", rid, policy: null, scope: null });
    }
    this.#policies = now;
  }

  /**
   * Logs the event of a policy. Clients other than the owner get the event only if they can see the
   * repository.
   */
  #logPolicy(event: LiveEvent & { readonly type: "policy" }): void {
    const isPublic = this.#options.node.namesOnlyPublic === true ||
      this.#states.get(event.rid)?.isPublic === true;
    this.#logs.append(event, audienceOf({ isPublic }));
  }

  async #readStatus(): Promise<void> {
    const { node } = this.#options;
    if (node.watchChanges !== undefined) return;
    const isCheap = node.namesOnlyPublic === true;
    if (!isCheap && this.#checks % CHECKS_FOR_STATUS !== 1) return;
    this.nodeIs((await node.status()).state);
  }

  /** Reports an error, unless the error is temporary or the same as the last error. */
  #report(error: unknown): void {
    const message = messageOf(error);
    if (error instanceof CoreError || message === this.#reported) return;
    this.#reported = message;
    this.#options.report("warn", "Cannot read some changes for live events", error);
  }
}

function audienceOf({ isPublic }: Pick<RepositoryState, "isPublic">): Audience {
  return isPublic ? "all" : "owner";
}

/** Divides moved references among several events. */
function* portions(moved: readonly MovedReference[]): Generator<readonly MovedReference[]> {
  let portion: MovedReference[] = [];
  let length = 0;
  for (const reference of moved) {
    const own = reference.name.length + REFERENCE_LENGTH;
    if (length + own > REFERENCES_LENGTH && portion.length > 0) {
      yield portion;
      portion = [];
      length = 0;
    }
    portion.push(reference);
    length += own;
  }
  if (portion.length > 0) yield portion;
}

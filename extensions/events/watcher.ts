/** Looks at repositories, policies and the node, and logs what has changed since the last look. */
import { mapAtOnce } from "../../src/async/map_ahead.ts";
import type { Cobs } from "../../src/cob/evaluation/store.ts";
import type { LiveEvent } from "./contract.ts";
import { CoreError, messageOf } from "../../src/errors.ts";
import type { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { digestOfRefs, resolveRefs } from "../../src/git/references.ts";
import type { Identities } from "../../src/identity/identity.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Environment } from "../../src/ports/environment.ts";
import type { RadicleNode } from "../../src/ports/radicle_node.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import {
  type ChangesPlace,
  isCatalogued,
  type Listings,
  listingsOf,
  type RepositoryListing,
} from "../../src/ports/catalogued_storage.ts";
import { Task } from "../../src/scheduling/task.ts";
import type { Audience, EventLogs, SavedLog } from "./log.ts";
import {
  MAX_WATCHED,
  type MovedObject,
  movedObjects,
  type MovedReference,
  movedReferences,
  type RepositoryState,
  RepositoryStates,
} from "./moved_references.ts";

/** Most issues and patches of a repository that are evaluated in one look; more are a `reset`. */
export const MAX_OBJECTS = 64;
/** Longest title that is told, in UTF-16 units. */
export const MAX_TITLE_LENGTH = 1024;
/**
 * Repositories of a storage with listings that are asked for in one look: those whose row in the lists has
 * changed come first, then the others take turns. Of those of which the storage says that they have changed,
 * as many. Each costs a call of a bucket when its state is not fresh.
 */
export const ASKED_IN_A_LOOK = 16;
/** Turns in a look while the storage tells of all changes: whatever it may have missed is found some time. */
const TURNS_WHILE_TOLD = 1;
/** Repositories that are asked for at the same time. */
const ASKED_AT_ONCE = 8;
/**
 * Looks at a repository that has changed, as others say: lists may be a few seconds ahead of repositories,
 * and a bucket may be slow.
 */
const LOOKS_AFTER_CHANGE = 10;
/** The node of a home is asked for its status in every so many looks, where it does not tell by itself. */
const LOOKS_FOR_STATUS = 10;
/** Characters of references in one event. */
const REFERENCES_LENGTH = 6000;

/** Parts of the service that a watcher needs. */
export interface WatcherDependencies {
  readonly storage: Storage;
  readonly node: RadicleNode;
  readonly names: Pick<RadicleNode, "aliases">;
  readonly cobs: Cobs;
  readonly identities: Identities;
  readonly graphs: Pick<CommitGraphs, "open">;
  readonly report: Environment["log"];
}

/** Compares what there is with what was there. Its calls must not overlap. */
export class Watcher {
  readonly #dependencies: WatcherDependencies;
  readonly #logs: EventLogs;
  readonly #states = new RepositoryStates();
  /** Repositories that were there before the first look at them. */
  readonly #unread = new Set<RepoId>();
  /** The number of that look; it may have seen a change that is told later. Early ones are forgotten. */
  readonly #firstLooks = new Map<RepoId, number>();
  #looks = 0;
  #isFirst: boolean;
  /** Rows of lists. */
  readonly #rows = new Map<RepoId, string>();
  /** Looks that are left for repositories whose row has changed. */
  readonly #due = new Map<RepoId, number>();
  /** The same for those that have changed, as the storage says. */
  readonly #told = new Map<RepoId, number>();
  /** The place of the storage's last change. */
  #place: ChangesPlace | undefined;
  /** Where the others take their turns. */
  #turn = 0;
  /** Whether any repository may have changed of which the storage has said nothing. */
  #hasMissed = true;
  /** Turns until all have been looked at since. */
  #missedTurns = 0;
  #policies: ReadonlyMap<RepoId, string> | undefined;
  #nodeState: "running" | "stopped" | undefined;
  #reported = "";

  /** @param saved States of an earlier run. */
  constructor(dependencies: WatcherDependencies, logs: EventLogs, saved?: SavedLog["states"]) {
    this.#dependencies = dependencies;
    this.#logs = logs;
    this.#isFirst = saved === undefined;
    for (const [rid, state] of saved ?? []) {
      this.#states.set(rid, { version: undefined, refs: undefined, ...state });
    }
  }

  /** The states, to be saved. */
  get states(): SavedLog["states"] {
    return [...this.#states.entries()];
  }

  /** Looks at everything. Never rejects; tells whether it has seen everything. */
  async lookAtAll(task: Task): Promise<boolean> {
    const { storage } = this.#dependencies;
    this.#looks++;
    try {
      const listings = await listingsOf(storage);
      if (listings === undefined) await this.#lookAtStored(await storage.repositoryIds(), task);
      else await this.#lookAtListed(listings, task);
      this.#isFirst = false;
      for (const [rid, look] of this.#firstLooks) {
        if (this.#looks - look >= LOOKS_AFTER_CHANGE) this.#firstLooks.delete(rid);
      }
    } catch (error) {
      this.#report(error);
      return false;
    }
    // In this order: at a replica the first brings the description of the node up to date.
    for (const look of [() => this.#lookAtPolicies(task), () => this.#lookAtNode()]) {
      await look().catch((error) => this.#report(error));
    }
    return true;
  }

  /** Whether the storage tells which repositories have changed. */
  get isTold(): boolean {
    return isCatalogued(this.#dependencies.storage);
  }

  /** Looks at the repositories that have changed, as the storage says. Never rejects. */
  async lookAtTold(task: Task): Promise<void> {
    const { storage } = this.#dependencies;
    const changed = isCatalogued(storage) ? await storage.changesAfter(this.#place) : undefined;
    if (changed === undefined) return;
    this.#place = changed.place;
    this.#hasMissed ||= changed.hasMissed;
    for (const rid of changed.rids) {
      this.#told.delete(rid);
      this.#told.set(rid, LOOKS_AFTER_CHANGE);
    }
    await mapAtOnce(takeLooks(this.#told, ASKED_IN_A_LOOK), ASKED_AT_ONCE, async (rid) => {
      if (await this.lookAt(rid, task, true)) this.#told.delete(rid);
    });
  }

  /**
   * Looks at one repository. Never rejects.
   *
   * @param hasChanged Whether it is known to have changed, whatever it was before.
   * @returns whether something was found to have changed.
   */
  async lookAt(rid: RepoId, task: Task, hasChanged = false): Promise<boolean> {
    const { storage } = this.#dependencies;
    const before = this.#states.get(rid);
    try {
      const repository = await storage.repository(rid);
      if (repository === undefined) return this.#forget(rid);
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
          this.#tellOfRepository(rid, now, "added");
          return true;
        }
        this.#firstLooks.set(rid, this.#looks);
      }
      if (!hasChanged || isWatched && !this.#firstLooks.delete(rid)) return false;
      // It is not known how it was before.
      this.#logs.append({ type: "reset", rid }, audienceOf(now));
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Tells whether the node runs. */
  tellOfNode(state: "running" | "stopped"): void {
    if (this.#nodeState !== undefined && this.#nodeState !== state) {
      this.#logs.append({ type: "node", state }, "all");
    }
    this.#nodeState = state;
  }

  async #lookAtStored(rids: readonly RepoId[], task: Task): Promise<void> {
    if (this.#isFirst) { for (const rid of rids) this.#unread.add(rid); }
    for (const rid of rids) {
      await this.lookAt(rid, task);
      await task.yield();
    }
    const present = new Set(rids);
    for (const rid of this.#states.rids()) if (!present.has(rid)) this.#forget(rid);
  }

  async #lookAtListed(listings: Listings, task: Task): Promise<void> {
    const present = new Set<RepoId>();
    for await (const { rid, listing } of listings.all()) {
      if (present.size === MAX_WATCHED) break;
      present.add(rid);
      const row = rowOf(listing);
      if (this.#isFirst) this.#unread.add(rid);
      else if (this.#rows.get(rid) !== row) this.#due.set(rid, LOOKS_AFTER_CHANGE);
      this.#rows.set(rid, row);
    }
    for (const rid of this.#rows.keys()) {
      if (present.has(rid)) continue;
      this.#rows.delete(rid);
      this.#unread.delete(rid);
      this.#due.set(rid, LOOKS_AFTER_CHANGE);
    }
    const rids = [...present];
    if (this.#hasMissed || !this.isTold) this.#missedTurns = rids.length;
    this.#hasMissed = false;
    const asked = new Set(takeLooks(this.#due, ASKED_IN_A_LOOK));
    const turns = Math.max(TURNS_WHILE_TOLD, Math.min(this.#missedTurns, ASKED_IN_A_LOOK - asked.size));
    this.#missedTurns = Math.max(0, this.#missedTurns - turns);
    for (let i = 0; i < Math.min(turns, rids.length); i++) asked.add(rids[this.#turn++ % rids.length]!);
    await mapAtOnce(asked, ASKED_AT_ONCE, (rid) => this.lookAt(rid, task));
  }

  /** The state of a repository; the same object while nothing has changed. */
  async #stateOf(repository: Repository, before: RepositoryState | undefined): Promise<RepositoryState> {
    // Readers wait for what has changed: only long lists wait for requests.
    const task = new Task();
    // In this order: the version must not be of a later state than the references, nor the document of an
    // earlier one.
    const version = await repository.refsVersion?.();
    if (before !== undefined && version !== undefined && version === before.version) return before;
    const refs = await resolveRefs(repository, "refs/", task);
    if (version === undefined && before?.refs === refs) return before;
    const digest = await digestOfRefs(refs, task);
    const isPublic = await this.#dependencies.identities.isPublic(repository, task);
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
      this.#tellOfRepository(rid, now, now.isPublic ? "public" : "private");
    }
    if (before.digest === now.digest) return;
    const audience = audienceOf(now);
    const moved = before.refs && now.refs && await task.run(movedReferences(before.refs, now.refs));
    const objects = moved && await task.run(movedObjects(moved, before.refs!));
    if (moved === undefined || objects!.length > MAX_OBJECTS) {
      return this.#logs.append({ type: "reset", rid }, audience);
    }
    const events: LiveEvent[] = [];
    for (const object of objects!) {
      const event = await this.#eventOf(repository, object, task);
      if (event !== undefined) events.push(event);
      await task.yield();
    }
    // Together: whoever hears of an issue can read it.
    for (const references of portions(moved)) {
      this.#logs.append({ type: "references", rid, references }, audience);
    }
    for (const event of events) this.#logs.append(event, audience);
  }

  /** The event of an issue or a patch; `undefined` when it cannot be evaluated. */
  async #eventOf(
    repository: Repository,
    { type, id, isNew }: MovedObject,
    task: Task,
  ): Promise<LiveEvent | undefined> {
    const { cobs, graphs, names } = this.#dependencies;
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
    this.#states.set(rid, undefined);
    this.#tellOfRepository(rid, before, "removed");
    return true;
  }

  /** Tells of a repository: to strangers a private one is not there. */
  #tellOfRepository(
    rid: RepoId,
    { isPublic }: RepositoryState,
    change: "added" | "removed" | "private" | "public",
  ): void {
    const tell = (change: "added" | "removed" | "private" | "public", audience: Audience) =>
      this.#logs.append({ type: "repository", rid, change }, audience);
    if (change === "private" || change === "removed" && isPublic) this.#logs.strangers.hide(rid);
    switch (change) {
      case "private":
        tell("removed", "strangers");
        return tell("private", "owner");
      case "public":
        tell("added", "strangers");
        return tell("public", "owner");
      default:
        return tell(change, audienceOf({ isPublic }));
    }
  }

  async #lookAtPolicies(task: Task): Promise<void> {
    const { node } = this.#dependencies;
    const before = this.#policies;
    const policies = await node.policies();
    const now = new Map<RepoId, string>();
    for (const { rid, policy, scope } of policies.slice(0, MAX_WATCHED)) {
      const told = `${policy} ${scope}`;
      now.set(rid, told);
      if (before !== undefined && before.get(rid) !== told) {
        this.#tellOfPolicy({ type: "policy", rid, policy, scope });
      }
      await task.yield();
    }
    for (const rid of before?.keys() ?? []) {
      if (!now.has(rid)) this.#tellOfPolicy({ type: "policy", rid, policy: null, scope: null });
    }
    this.#policies = now;
  }

  /** Policies of what strangers do not see are for the owner alone. */
  #tellOfPolicy(event: LiveEvent & { readonly type: "policy" }): void {
    const isPublic = this.#dependencies.node.namesOnlyPublic === true ||
      this.#states.get(event.rid)?.isPublic === true;
    this.#logs.append(event, audienceOf({ isPublic }));
  }

  async #lookAtNode(): Promise<void> {
    const { node } = this.#dependencies;
    if (node.hearChanges !== undefined) return;
    const isCheap = node.namesOnlyPublic === true;
    if (!isCheap && this.#looks % LOOKS_FOR_STATUS !== 1) return;
    this.tellOfNode((await node.status()).state);
  }

  /** Logs an error, unless it is temporary, or the same as the last one. */
  #report(error: unknown): void {
    const message = messageOf(error);
    if (error instanceof CoreError || message === this.#reported) return;
    this.#reported = message;
    this.#dependencies.report("warn", "Some changes cannot be told", error);
  }
}

/** Repositories that are due; each of them has a look less then. */
function takeLooks(due: Map<RepoId, number>, most: number): ReadonlySet<RepoId> {
  const taken = new Set([...due.keys()].slice(0, most));
  for (const rid of taken) {
    const left = due.get(rid)! - 1;
    due.delete(rid);
    if (left > 0) due.set(rid, left);
  }
  return taken;
}

/** Readers who hear of what happens in a repository. */
function audienceOf({ isPublic }: Pick<RepositoryState, "isPublic">): Audience {
  return isPublic ? "all" : "owner";
}

/** A row of a list, short: it changes when the list shows something else. */
function rowOf(listing: RepositoryListing | null): string {
  if (listing === null) return "";
  const { document, head, issues, patches } = listing;
  return JSON.stringify([document.length, head, Object.values(issues), Object.values(patches)]);
}

/** References that moved, for one event after the other. */
function* portions(moved: readonly MovedReference[]): Generator<readonly MovedReference[]> {
  let portion: MovedReference[] = [];
  let length = 0;
  for (const reference of moved) {
    const own = reference.name.length + 120;
    if (length + own > REFERENCES_LENGTH && portion.length > 0) {
      yield portion;
      [portion, length] = [[], 0];
    }
    portion.push(reference);
    length += own;
  }
  if (portion.length > 0) yield portion;
}

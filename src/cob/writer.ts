/** Writes issues and patches: the entry, then the node's reference to it, then the signature over the node's references. */
import { ApiError } from "../errors.ts";
import type { CommitIndex } from "../git/commit_index.ts";
import type { Person } from "../git/commit.ts";
import { WriteQueue } from "../git/write_queue.ts";
import type { HomeGeneration } from "../identity/generation.ts";
import { createSigrefsHistory } from "../identity/sigrefs_history.ts";
import { signRefs } from "../identity/sigrefs_writer.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { CachedType } from "../ports/cob_cache.ts";
import type { Environment } from "../ports/environment.ts";
import type { Profile } from "../ports/profile.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { Signer } from "../ports/signer.ts";
import type { Repository, WritableRepository } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";
import { type Action, messageFor, relatedCommits, toStoredAction } from "./action_form.ts";
import type { CacheRows } from "./cache_rows.ts";
import type { Change } from "./change.ts";
import { type EncodedEntry, encodeEntry } from "./entry_draft.ts";
import type { Evaluation } from "./evaluation.ts";
import { MAX_ENTRIES } from "./graph.ts";
import { Guard } from "./guard.ts";
import type { Op } from "./op.ts";
import { Refusal } from "./refusal.ts";
import { checkRelated } from "./related_commits.ts";
import type { ObjectStore, Preview } from "./store.ts";

/**
 * How often a change is decided anew because another program has changed the same object meanwhile: some seconds. Another process that is quicker may be
 * first many times in a row.
 */
export const MAX_WRITE_ATTEMPTS = 200;

/** What a writer works with. */
export interface WriterParts {
  readonly profile: Profile;
  /** What `rad` reads. */
  readonly rows: CacheRows;
  /** Who tells the network. */
  readonly node: Pick<RadicleNode, "announce">;
  readonly log: Environment["log"];
  /** Time of what is written, whole seconds since the Unix epoch. */
  nowSeconds(): number;
  /** Which programs work on the home. */
  generation(): HomeGeneration;
  /** The commit of the identity document in force. */
  identity(repository: Repository): Promise<Oid | undefined>;
}

/** Where a change takes place, and whose it is. */
export interface WritePlace {
  readonly repository: WritableRepository;
  readonly index: CommitIndex;
  readonly signer: Signer;
}

/** Where an object stands. */
interface Found {
  /** Where the node's own reference leads to. */
  readonly target: Oid | undefined;
  readonly tips: readonly Oid[];
}

/** What was written. */
interface Written {
  readonly object: Oid;
  readonly entry: Oid;
}

/** Somebody else's change has joined what was apart. */
class JoinedError extends Error {}

/** The code of the answer to a change that its object does not take. */
const CODES = {
  denied: "forbidden",
  missing: "notFound",
  invalid: "conflict",
  malformed: "conflict",
} as const;

/**
 * The one who writes. Changes of a repository take place one after the other. Each is judged before anything is stored, and what is stored lasts before
 * a reference leads to it.
 */
export class Writer {
  readonly #parts: WriterParts;
  readonly #queue = new WriteQueue();
  readonly #history = createSigrefsHistory();
  /** Signings that have not begun, by repository and node. */
  readonly #signings = new Map<string, Promise<void>>();
  readonly #guard: Guard;

  constructor(parts: WriterParts, guard: Guard = new Guard()) {
    this.#parts = parts;
    this.#guard = guard;
  }

  /**
   * Opens an object; one that is there already stays as it is.
   *
   * @returns Its id.
   * @throws {ApiError} as {@link Writer.update} does.
   */
  async create<A, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
    place: WritePlace,
    change: Change,
  ): Promise<Oid> {
    const { repository, signer } = place;
    const { object } = await this.#write(store.typeName, place, async () => {
      const { entry: { id, objects }, next } = await this.#judge(store, place, change);
      const name = ownRef(signer.nodeId, store.typeName, id);
      if (await repository.ref(name) === undefined) {
        await repository.updateRef(name, { from: undefined, to: id, objects });
        store.extend(repository.rid, { object: id, from: undefined, to: id, next });
      }
      return { object: id, entry: id };
    });
    return object;
  }

  /**
   * Adds an entry to an object.
   *
   * @param plan Makes the change, or throws why it may not be, once the object is known.
   * @returns The id of the entry.
   * @throws {ApiError} `forbidden`, `notFound`, `conflict` when the object does not take it, or is not there;
   * `conflict` when it would lose an entry that the node's own reference holds; `notFound`, `unprocessable` for a
   * commit that is none; `unauthorized` when the key has become unusable; `unavailable` when the storage cannot be
   * written to. Nothing has changed then.
   */
  async update<A extends Action, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
    place: WritePlace,
    object: Oid,
    plan: (state: S, found: Found) => Change | Promise<Change>,
  ): Promise<Oid> {
    const { repository, index, signer } = place;
    const name = ownRef(signer.nodeId, store.typeName, object);
    const { entry } = await this.#write(store.typeName, place, async () => {
      for (let attempts = 0; attempts < MAX_WRITE_ATTEMPTS; attempts++) {
        // Before the evaluation, which must not know less than the reference.
        const from = (await repository.ref(name))?.oid;
        const earlier = await store.get(repository, index, object, from);
        if (earlier === undefined) throw new ApiError("notFound", "Not Found");
        if (earlier.size >= MAX_ENTRIES) throw new ApiError("conflict", "The object has too many entries");
        if (from !== undefined) await this.#brake(store, repository, object, from, earlier);
        const change = await plan(earlier.state, { target: from, tips: earlier.tips });
        const { entry: { id, objects }, next } = await this.#judge(store, place, change, earlier);
        if (await repository.updateRef(name, { from, to: id, objects })) {
          store.extend(repository.rid, { object, from, to: id, earlier, next });
          store.hold(repository.rid, name, id);
          return { object, entry: id };
        }
      }
      throw new ApiError("unavailable", "Other programs keep changing the object");
    });
    this.#guard.add(`${repository.rid} ${name}`, {
      look: () => this.#look(store, place, object),
      release: () => store.release(repository.rid, name),
    });
    return entry;
  }

  /**
   * Looks whether an entry that was written a moment ago can still be reached. Other programs set their reference to an object without a look at
   * where it leads by then; the entry that it led to is then joined with theirs by one more, that has no effect. Whether to look again.
   */
  async #look<A extends Action, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
    place: WritePlace,
    object: Oid,
  ): Promise<boolean> {
    const { repository, index, signer } = place;
    const { rid } = repository;
    const name = ownRef(signer.nodeId, store.typeName, object);
    const held = store.held(rid, name);
    const isLost = ({ target, tips }: Found) => held !== undefined && target !== held && tips.includes(held);
    try {
      const target = (await repository.ref(name))?.oid;
      if (target === held) return true;
      const evaluation = await store.get(repository, index, object);
      // One that was deleted stays so.
      if (target === undefined || evaluation === undefined) return false;
      if (!isLost({ target, tips: evaluation.tips })) {
        // What stands on top of it must not be lost either.
        if (store.held(rid, name) === held) store.hold(rid, name, target);
        return true;
      }
      await this.update(store, place, object, (state, found) => {
        if (!isLost(found)) throw new JoinedError();
        const action = store.idle(state, signer.nodeId);
        return { actions: [action], files: [], message: messageFor(action) };
      });
    } catch (error) {
      if (error instanceof JoinedError) return true;
      this.#parts.log("warn", `Cannot join what was written to ${object} of ${rid} at once`, error);
      return error instanceof ApiError && error.code === "unavailable";
    }
    return true;
  }

  /**
   * Refuses a change that would make an entry unreachable which the node's own reference, which leads to `from`,
   * reaches, whatever the evaluation thinks of that entry: other programs may count it.
   *
   * @throws {ApiError} `conflict`, naming the entry.
   */
  async #brake<A, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
    repository: Repository,
    object: Oid,
    from: Oid,
    { kept, tips }: Evaluation<S>,
  ): Promise<void> {
    if (kept.includes(from)) return;
    const lost = await store.findLost(repository, from, tips);
    if (lost === undefined) return;
    const { rid } = repository;
    this.#parts.log(
      "warn",
      `Refused a change of ${store.typeName} ${object} of ${rid}: it would lose entry ${lost}, which does not count`,
    );
    throw new ApiError("conflict", wouldLose(lost));
  }

  /** Makes the entry of a change and has the object's own rules judge it: what they make of it is `next`. */
  async #judge<A, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
    { repository, index, signer }: WritePlace,
    { actions, files, message }: Change,
    earlier?: Evaluation<S>,
  ): Promise<{ readonly entry: EncodedEntry; readonly next: Preview<S> }> {
    const tips = earlier?.tips ?? [];
    const related = actions.flatMap(relatedCommits);
    await checkRelated(repository, related, tips);
    const resource = await this.#parts.identity(repository);
    if (resource === undefined) throw new ApiError("notFound", "The repository has no identity");
    const timeSeconds = this.#parts.nowSeconds();
    const entry = await encodeEntry({
      typeName: store.typeName,
      actions: actions.map(toStoredAction),
      files,
      tips,
      related,
      resource,
      person: await readPerson(repository, this.#parts.profile),
      timeSeconds,
      message,
    }, signer);
    const stamp = { id: entry.id, author: signer.nodeId, timeSeconds };
    const wouldBe = { ...stamp, resource, actions: entry.actions };
    return { entry, next: await store.preview(repository, index, wouldBe, earlier?.state) };
  }

  /** Runs a change in its turn, and what follows from it: it is signed, `rad` gets its row, and others hear of it. */
  async #write(
    type: CachedType,
    { repository, signer }: WritePlace,
    change: () => Promise<Written>,
  ): Promise<Written> {
    const { rows, node, log } = this.#parts;
    const written = await this.#queue.run(repository.rid, change).catch((error) => {
      throw this.#explain(error);
    });
    await Promise.all([this.#sign(repository, signer), rows.update(repository, type, written.object)]);
    try {
      node.announce(repository.rid);
    } catch (error) {
      log("warn", `Cannot announce ${repository.rid}`, error);
    }
    return written;
  }

  /** Signs when the changes that wait already have had their turns, so once for all of them. */
  #sign(repository: WritableRepository, signer: Signer): Promise<void> {
    const key = `${repository.rid} ${signer.nodeId}`;
    const waiting = this.#signings.get(key);
    if (waiting !== undefined) return waiting;
    const signing = this.#queue.run(repository.rid, () => {
      this.#signings.delete(key);
      return this.#signNow(repository, signer);
    });
    this.#signings.set(key, signing);
    return signing;
  }

  /** Choice: a change whose reference has moved stands, even if signing fails then; the next one is signed along with it. */
  async #signNow(repository: WritableRepository, signer: Signer): Promise<void> {
    try {
      await signRefs(repository, {
        nid: signer.nodeId,
        signer,
        timeSeconds: this.#parts.nowSeconds(),
        generation: this.#parts.generation(),
        history: this.#history,
      });
    } catch (error) {
      const message = `Cannot sign the references of ${repository.rid}: others will not see the change yet`;
      this.#parts.log("error", message, error);
    }
  }

  /** What a client is told of a failure. */
  #explain(error: unknown): unknown {
    if (error instanceof Refusal) return new ApiError(CODES[error.reason], error.message);
    if (!(error instanceof WriteError)) return error;
    this.#parts.log("error", "Cannot write", error);
    return error.obstacle === "busy"
      ? new ApiError("unavailable", "Other programs are writing to the repository")
      : new ApiError("unavailable", "The repository cannot be written to");
  }
}

/** The answer to a change that would lose an entry. */
function wouldLose(entry: Oid): string {
  return `The change would lose entry ${entry}: the node's own reference holds it, but it does not count here; ` +
    "change the object once with rad, then that reference holds what rad accepts";
}

/** The node's own reference to an object. */
function ownRef(nid: NodeId, type: CachedType, object: Oid): string {
  return `refs/namespaces/${nid}/refs/cobs/${type}/${object}`;
}

/** Whose name stands in commits: what the storage says, else the node's alias. What cannot stand there is left out. */
async function readPerson(
  repository: WritableRepository,
  { nodeId, alias = nodeId }: Profile,
): Promise<Person> {
  const { name, email } = await repository.committer?.() ?? { name: alias, email: `${alias}@${nodeId}` };
  const clean = (text: string) => text.replace(/[<>\n\0]/g, "").trim() || nodeId;
  return { name: clean(name), email: clean(email) };
}

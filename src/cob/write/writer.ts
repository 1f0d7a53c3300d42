/**
 * Writes issues and patches. A write stores an entry (a signed change), moves the node's own reference to the
 * entry, and signs the node's references.
 */
import { ConflictError, ForbiddenError, NotFoundError, UnavailableError } from "../../errors.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import type { AppendedEntry } from "../evaluation/evaluator.ts";
import type { Preview } from "../evaluation/evaluation.ts";
import type { ObjectState } from "../evaluation/object_types.ts";
import type { ObjectStore } from "../evaluation/store.ts";
import { isSameList } from "../entry/fields.ts";
import { Refusal } from "../op.ts";
import type { CacheRows } from "../rad_cache/cache_rows.ts";
import { RULES, type Rules } from "../rules.ts";
import { type Change, messageFor } from "./change.ts";
import { type DraftedEntry, draftEntry, type DraftOptions, type RepositoryToWrite } from "./entry_draft.ts";
import { LostUpdateWatcher } from "./lost_update_watcher.ts";
import { findWriteBase, type View, type WriteBase } from "./write_base.ts";
import type { Environment } from "../../ports/environment.ts";
import { WriteError } from "../../ports/write_error.ts";
import type { HomeGeneration } from "../../identity/generation.ts";
import { createSigrefsHistory } from "../../identity/sigrefs_history.ts";
import { signRefs } from "../../identity/sigrefs_writer.ts";
import type { Signer } from "../../ports/signer.ts";
import type { WritableRepository } from "../../ports/storage.ts";

/**
 * Maximum number of attempts at a change while other programs change the same object repeatedly. All attempts
 * together take some seconds. The number is high because a faster process may win many times in a row.
 */
export const MAX_WRITE_ATTEMPTS = 200;

export interface WriterOptions extends DraftOptions, RefSigningOptions {
  readonly rows: CacheRows;
  /** Called after each change, to announce the repository. */
  readonly onWritten: (rid: RepoId) => void;
}

interface Position {
  /** Target of the node's own reference to the object. */
  readonly target: Oid | undefined;
  /** Ids of the entries on which the new entry builds. */
  readonly tips: readonly Oid[];
}

export interface Update<S extends ObjectState> {
  /** Creates the change from the state of the object. Throws an error if the change is not possible. */
  plan(state: S, position: Position): Change | Promise<Change>;
  /**
   * Checks the change by one of the rules in force. Throws an error if the change must not be made. Called in
   * addition to the checks of {@link ObjectStore.preview}.
   */
  check?(state: S, rules: Rules): void;
}

interface JudgedEntry<S> {
  readonly entry: DraftedEntry;
  /** Caches the state after the entry. Called when a reference points to the entry. */
  record(moved: Pick<AppendedEntry<S>, "object" | "from" | "to">): void;
}

interface Written {
  readonly object: Oid;
  readonly entry: Oid;
}

/** Thrown when a lost entry has become reachable by another change, so that no further entry is needed. */
class JoinedError extends Error {}

/**
 * Writes changes. In each repository, changes are written one by one. Each change is checked by the rules of
 * its object before anything is stored. All git objects of an entry are stored before a reference points to
 * the entry.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #queue = new Limiter({ ofKey: 1 });
  readonly #signing: RefSigning;
  readonly #watcher: LostUpdateWatcher;

  constructor(options: WriterOptions, watcher: LostUpdateWatcher = new LostUpdateWatcher()) {
    this.#options = options;
    this.#signing = new RefSigning(options, this.#queue);
    this.#watcher = watcher;
  }

  /**
   * Checks recently written entries a last time. The returned promise is fulfilled when no row of `rad`'s
   * cache is being written.
   */
  async close(): Promise<void> {
    await this.#watcher.close();
    await this.#options.rows.close();
  }

  /**
   * Creates a new object by writing its first entry. If an object with the same id exists, it is not changed.
   *
   * @returns The id of the object.
   * @throws {CoreError} the same errors as {@link Writer.update}.
   */
  async create<S extends ObjectState>(
    store: ObjectStore<S>,
    place: RepositoryToWrite,
    change: Change,
  ): Promise<Oid> {
    const { objects: repository, signer } = place;
    const { object } = await this.#write(store.type.name, place, async () => {
      const entry = await draftEntry(this.#options, store.type.name, place, change, []);
      const { id, objects } = entry;
      const previews: { one: ObjectStore<S>; next: Preview<S> }[] = [];
      for (const one of this.#stores(store)) {
        previews.push({ one, next: await one.preview(place, entry, undefined) });
      }
      const name = ownRef(signer.nodeId, store.type.name, id);
      if (await repository.ref(name) === undefined) {
        await repository.updateRef(name, { from: undefined, to: id, objects });
        for (const { one, next } of previews) {
          one.record(repository.rid, { object: id, from: undefined, to: id, next });
        }
      }
      return { object: id, entry: id };
    });
    return object;
  }

  /**
   * Adds an entry to an object. If this method throws, nothing has changed.
   *
   * @returns The id of the entry.
   * @throws {ForbiddenError} when the node may not make the change.
   * @throws {NotFoundError} when the object does not exist, when the change refers to a part that the object
   *   does not have, or when a related commit is missing.
   * @throws {ConflictError} when the object refuses the change, or an entry would become unreachable from the
   *   node's own reference.
   * @throws {InvalidError} when a related id does not belong to a commit.
   * @throws {UnauthorizedError} when the key has become unusable.
   * @throws {UnavailableError} when the storage cannot be written to.
   */
  async update<S extends ObjectState>(
    store: ObjectStore<S>,
    place: RepositoryToWrite,
    object: Oid,
    update: Update<S> | Update<S>["plan"],
  ): Promise<Oid> {
    const { objects: repository, signer } = place;
    const name = ownRef(signer.nodeId, store.type.name, object);
    const { plan, check } = typeof update === "function" ? { plan: update } : update;
    const { entry } = await this.#write(store.type.name, place, async () => {
      for (let attempts = 0; attempts < MAX_WRITE_ATTEMPTS; attempts++) {
        // The reference is read before the object is evaluated, so that the evaluation includes the target of
        // the reference.
        const from = (await repository.ref(name))?.oid;
        const changed = { ...place, object, own: from, log: this.#options.log };
        const base = await findWriteBase(this.#stores(store), changed);
        const change = await plan(base.views[0].evaluation.state, { target: from, tips: base.tips });
        const { entry: { id, objects }, record } = await this.#judge(base, place, change, check);
        if (await repository.updateRef(name, { from, to: id, objects })) {
          record({ object, from, to: id });
          store.pins.pin(repository.rid, name, id);
          return { object, entry: id };
        }
      }
      throw new UnavailableError("Other programs keep changing the object");
    });
    this.#watcher.add(`${repository.rid} ${name}`, {
      check: () => this.#checkPinned(store, place, object),
      unpin: () => store.pins.unpin(repository.rid, name),
    });
    return entry;
  }

  /**
   * Checks that the pinned entry of an object is still reachable from the node's own reference. If another
   * program has overwritten the reference, an entry without effect is written, whose parents include the
   * pinned entry and the new target.
   *
   * @returns Whether to check the entry again later.
   */
  async #checkPinned<S extends ObjectState>(
    store: ObjectStore<S>,
    place: RepositoryToWrite,
    object: Oid,
  ): Promise<boolean> {
    const { objects: repository, signer } = place;
    const { rid } = repository;
    const name = ownRef(signer.nodeId, store.type.name, object);
    const pinned = store.pins.get(rid, name);
    const isLost = ({ target, tips }: Position) =>
      pinned !== undefined && target !== pinned && tips.includes(pinned);
    try {
      const target = (await repository.ref(name))?.oid;
      if (target === pinned) return true;
      const evaluation = await store.get(place, object);
      // A deleted reference is not restored.
      if (target === undefined || evaluation === undefined) return false;
      if (!isLost({ target, tips: evaluation.tips })) {
        // The new target is a descendant of the pinned entry, and is pinned instead.
        if (store.pins.get(rid, name) === pinned) store.pins.pin(rid, name, target);
        return true;
      }
      await this.update(store, place, object, (state, position) => {
        if (!isLost(position)) throw new JoinedError();
        const action = store.type.idle(state, signer.nodeId);
        return { actions: [action], files: [], message: messageFor(action) };
      });
    } catch (error) {
      if (error instanceof JoinedError) return true;
      this.#options.log("warn", `Cannot join a lost entry of ${object} of ${rid} at once`, error);
      return error instanceof UnavailableError;
    }
    return true;
  }

  /**
   * Returns a store for each of the rules in force: the rules of the API, and the rules of the Radicle
   * programs that use the home if they differ.
   */
  #stores<S extends ObjectState>(store: ObjectStore<S>): [ObjectStore<S>, ...ObjectStore<S>[]] {
    const homeStore = store.under(RULES[this.#options.generation()]);
    return homeStore === store ? [store] : [store, homeStore];
  }

  async #judge<S extends ObjectState>(
    { views, tips }: WriteBase<S>,
    place: RepositoryToWrite,
    change: Change,
    check: Update<S>["check"],
  ): Promise<JudgedEntry<S>> {
    const { rid } = place.objects;
    for (const { store, evaluation } of views) check?.(evaluation.state, store.rules);
    const entry = await draftEntry(this.#options, views[0].store.type.name, place, change, tips);
    const previews: { view: View<S>; next: Preview<S> }[] = [];
    for (const view of views) {
      previews.push({ view, next: await view.store.preview(place, entry, view.evaluation.state) });
    }
    return {
      entry,
      record(moved) {
        for (const { view: { store, evaluation: earlier }, next } of previews) {
          // If there are concurrent entries, the state may differ from the preview.
          if (isSameList(earlier.tips, tips)) store.record(rid, { ...moved, earlier, next });
        }
      },
    };
  }

  /**
   * Runs a change when no other change of the repository is running. Then signs the references, updates the
   * row in `rad`'s cache, and calls `onWritten`.
   */
  async #write(
    type: CachedType,
    { objects: repository, signer }: RepositoryToWrite,
    change: () => Promise<Written>,
  ): Promise<Written> {
    const { rows, onWritten, log } = this.#options;
    const written = await this.#queue.run(change, { keys: [repository.rid] }).catch((error) => {
      throw explainWriteFailure(error, log);
    });
    await Promise.all([
      this.#signing.sign(repository, signer),
      rows.update(repository, type, written.object),
    ]);
    try {
      onWritten(repository.rid);
    } catch (error) {
      log("warn", `Cannot announce ${repository.rid}`, error);
    }
    return written;
  }
}

function ownRef(nid: NodeId, type: CachedType, object: Oid): string {
  return `refs/namespaces/${nid}/refs/cobs/${type}/${object}`;
}

const REFUSED = {
  denied: ForbiddenError,
  missing: NotFoundError,
  invalid: ConflictError,
  malformed: ConflictError,
} as const;

/**
 * Returns the error for the client if `error` is a refusal or a failed write. All other errors are returned
 * unchanged.
 */
export function explainWriteFailure(error: unknown, log: Environment["log"]): unknown {
  if (error instanceof Refusal) return new REFUSED[error.reason](error.message);
  if (!(error instanceof WriteError)) return error;
  log("error", "Cannot write", error);
  return error.obstacle === "busy"
    ? new UnavailableError("Other programs are writing to the repository")
    : new UnavailableError("The repository cannot be written to");
}

export interface RefSigningOptions {
  readonly log: Environment["log"];
  /** Returns the time of a signature, in whole seconds since the Unix epoch. */
  nowSeconds(): number;
  /** Returns the generation of the Radicle programs that use the home. */
  generation(): HomeGeneration;
}

/** Signs references in the same queue as changes. */
export class RefSigning {
  readonly #options: RefSigningOptions;
  readonly #queue: Limiter;
  readonly #history = createSigrefsHistory();
  /** Signatures that were requested but are not being created yet, by repository and node. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(options: RefSigningOptions, queue: Limiter) {
    this.#options = options;
    this.#queue = queue;
  }

  /**
   * Signs the references of a node after the changes that are now in the queue. The returned promise is not
   * rejected when signing fails.
   */
  sign(repository: WritableRepository, signer: Signer): Promise<void> {
    const key = `${repository.rid} ${signer.nodeId}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const signing = this.#queue.run(() => {
      this.#waiting.delete(key);
      return this.#signNow(repository, signer);
    }, { keys: [repository.rid] });
    this.#waiting.set(key, signing);
    return signing;
  }

  /**
   * Signs the references. Choice: If signing fails, the change is not undone. The signature after the next
   * change then also covers this change.
   */
  async #signNow(repository: WritableRepository, signer: Signer): Promise<void> {
    try {
      await signRefs(repository, {
        nid: signer.nodeId,
        signer,
        timeSeconds: this.#options.nowSeconds(),
        generation: this.#options.generation(),
        history: this.#history,
      });
    } catch (error) {
      const message =
        `Cannot sign the references of ${repository.rid}: other nodes will not see the change yet`;
      this.#options.log("error", message, error);
    }
  }
}

/** Writes issues and patches: the entry, then the node's reference to it, then the signature over the node's references. */
import { ApiError } from "../../errors.ts";
import { WriteQueue } from "../../git/write_queue.ts";
import type { HomeGeneration } from "../../identity/generation.ts";
import { createSigrefsHistory } from "../../identity/sigrefs_history.ts";
import { signRefs } from "../../identity/sigrefs_writer.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import type { Environment } from "../../ports/environment.ts";
import type { RadicleNode } from "../../ports/radicle_node.ts";
import type { Signer } from "../../ports/signer.ts";
import type { WritableRepository } from "../../ports/storage.ts";
import { WriteError } from "../../ports/write_error.ts";
import { type Action, messageFor } from "./action_form.ts";
import type { CacheRows } from "../rad_cache/cache_rows.ts";
import type { Change } from "./change.ts";
import { type DraftedEntry, draftEntry, type DraftParts, type WritePlace } from "./drafted_entry.ts";
import { findGround, type Ground, standsOn, type View } from "./ground.ts";
import { Guard } from "./guard.ts";
import type { Op } from "../op.ts";
import { Refusal } from "../refusal.ts";
import { RULES, type Rules } from "../rules.ts";
import type { Extension, ObjectStore, Preview } from "../evaluation/store.ts";

/**
 * How often a change is decided anew because another program has changed the same object meanwhile: some seconds. Another process that is quicker may be
 * first many times in a row.
 */
export const MAX_WRITE_ATTEMPTS = 200;

/** What a writer works with. */
export interface WriterParts extends DraftParts {
  /** What `rad` reads. */
  readonly rows: CacheRows;
  /** Who tells the network. */
  readonly node: Pick<RadicleNode, "announce">;
  readonly log: Environment["log"];
  /** Which programs work on the home. */
  generation(): HomeGeneration;
}

/** Where an object stands. */
interface Found {
  /** Where the node's own reference leads to. */
  readonly target: Oid | undefined;
  readonly tips: readonly Oid[];
}

/** A change of an object that is there. */
export interface Update<S> {
  /** Makes the change, or throws why it may not be, once the object is known. */
  plan(state: S, found: Found): Change | Promise<Change>;
  /** Throws why the change may not be under some rules, for reasons that the rules themselves do not tell. */
  check?(state: S, rules: Rules): void;
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
    const { repository, index, signer } = place;
    const { object } = await this.#write(store.typeName, place, async () => {
      const entry = await draftEntry(this.#parts, store.typeName, place, change, []);
      const { id, objects } = entry;
      const judged = [];
      for (const one of this.#stores(store)) {
        judged.push({ one, next: await one.preview(repository, index, entry, undefined) });
      }
      const name = ownRef(signer.nodeId, store.typeName, id);
      if (await repository.ref(name) === undefined) {
        await repository.updateRef(name, { from: undefined, to: id, objects });
        for (const { one, next } of judged) {
          one.extend(repository.rid, { object: id, from: undefined, to: id, next });
        }
      }
      return { object: id, entry: id };
    });
    return object;
  }

  /**
   * Adds an entry to an object.
   *
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
    update: Update<S> | Update<S>["plan"],
  ): Promise<Oid> {
    const { repository, index, signer } = place;
    const name = ownRef(signer.nodeId, store.typeName, object);
    const { plan, check } = typeof update === "function" ? { plan: update } : update;
    const { entry } = await this.#write(store.typeName, place, async () => {
      for (let attempts = 0; attempts < MAX_WRITE_ATTEMPTS; attempts++) {
        // Before the evaluation, which must not know less than the reference.
        const from = (await repository.ref(name))?.oid;
        const site = { repository, index, object, own: from, log: this.#parts.log };
        const ground = await findGround(this.#stores(store), site);
        const change = await plan(ground.views[0].evaluation.state, { target: from, tips: ground.tips });
        const { entry: { id, objects }, extend } = await this.#judge(ground, place, change, check);
        if (await repository.updateRef(name, { from, to: id, objects })) {
          extend({ object, from, to: id });
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

  /** The object under all rules in force, each once: those that clients see first, then those of the programs that work on the home. */
  #stores<A, O extends Op<A>, S>(
    store: ObjectStore<A, O, S>,
  ): [ObjectStore<A, O, S>, ...ObjectStore<A, O, S>[]] {
    const others = store.under(RULES[this.#parts.generation()]);
    return others === store ? [store] : [store, others];
  }

  /** Makes the entry of a change, and has the object's own steps judge it under all rules. */
  async #judge<A, O extends Op<A>, S>(
    { views, tips }: Ground<A, O, S>,
    place: WritePlace,
    change: Change,
    check: Update<S>["check"],
  ): Promise<
    { readonly entry: DraftedEntry; extend(written: Omit<Extension<S>, "earlier" | "next">): void }
  > {
    const { repository, index } = place;
    for (const { store, evaluation } of views) check?.(evaluation.state, store.rules);
    const entry = await draftEntry(this.#parts, views[0].store.typeName, place, change, tips);
    const judged: { view: View<A, O, S>; next: Preview<S> }[] = [];
    for (const view of views) {
      judged.push({ view, next: await view.store.preview(repository, index, entry, view.evaluation.state) });
    }
    const extend = (written: Omit<Extension<S>, "earlier" | "next">) => {
      for (const { view: { store, evaluation: earlier }, next } of judged) {
        // Beside other entries its effect may be another one.
        if (standsOn(earlier, tips)) store.extend(repository.rid, { ...written, earlier, next });
      }
    };
    return { entry, extend };
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

/** The node's own reference to an object. */
function ownRef(nid: NodeId, type: CachedType, object: Oid): string {
  return `refs/namespaces/${nid}/refs/cobs/${type}/${object}`;
}

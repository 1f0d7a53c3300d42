/** Evaluates, lists and previews the issues and patches of repositories. */
import { Memory } from "../../cache/memory.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import { type ResolvedRef, resolveRefs } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { DerivedData, DerivedFile, DerivedRoot } from "../../ports/derived_data.ts";
import type { Environment } from "../../ports/environment.ts";
import { EntryReader } from "../entry/entry_reader.ts";
import type { Issue } from "../issue/issue.ts";
import type { Patch } from "../patch/patch_state.ts";
import type { Rules } from "../rules.ts";
import { saveObjects } from "./saved/save_objects.ts";
import { SavedObjects } from "./saved/saved_objects.ts";
import { EntrySteps, type Evaluation, type Preview, type WouldBeEntry } from "./evaluation.ts";
import { createDocsByCommit, type DocsByCommit, EvaluationContext } from "./evaluation_context.ts";
import { type AppendedEntry, Evaluator } from "./evaluator.ts";
import { ObjectLists } from "./object_lists.ts";
import type { ObjectSummary } from "./object_summary.ts";
import { type ActionOf, issueType, type ObjectState, type ObjectType, patchType } from "./object_types.ts";
import { StoreCaches } from "./store_options.ts";
import { ascending, type PinnedEntries } from "./targets.ts";

export interface Listed<S> {
  /** The summaries, in ascending order of their ids. The same array is returned while nothing changes. */
  readonly summaries: readonly ObjectSummary[];
  /**
   * Loads the states of some objects, in the order of `of`. Objects that can no longer be loaded are left
   * out.
   */
  states(of: readonly ObjectSummary[]): Promise<readonly S[]>;
}

export interface ObjectStoreOptions {
  readonly docs: DocsByCommit;
  readonly log: Environment["log"];
  /** Sizes of the caches. The default is a new {@link Memory} with default sizes. */
  readonly memory?: Memory;
}

/**
 * Options that all stores of one type of object share. Each generation of Radicle programs has a separate
 * store.
 */
interface SharedOptions<S extends ObjectState> extends Required<ObjectStoreOptions> {
  readonly caches: StoreCaches<S>;
  readonly stores: Map<Rules, ObjectStore<S>>;
}

/** Evaluates all issues, or all patches, by the rules of one generation of Radicle programs. */
export class ObjectStore<S extends ObjectState> {
  readonly type: ObjectType<S>;
  readonly rules: Rules;
  readonly reader: EntryReader<ActionOf<S>>;
  /** Entries that count as additional targets of references. */
  readonly pins: PinnedEntries;
  readonly #shared: SharedOptions<S>;
  readonly #evaluator: Evaluator<S>;
  readonly #lists: ObjectLists<S>;
  readonly #saved: SavedObjects<S>;

  constructor(
    type: ObjectType<S>,
    rules: Rules,
    { memory = new Memory(), caches = new StoreCaches(memory), stores = new Map(), ...others }:
      & ObjectStoreOptions
      & Partial<SharedOptions<S>>,
    reader: EntryReader<ActionOf<S>> = new EntryReader((value) => type.decode(value, rules), rules, memory),
  ) {
    this.type = type;
    this.rules = rules;
    this.reader = reader;
    this.#shared = { memory, caches, stores, ...others };
    this.pins = caches.pins;
    const options = { type, rules, reader, log: others.log, caches, number: caches.made++ };
    this.#saved = new SavedObjects(options);
    this.#evaluator = new Evaluator(options, this.#saved);
    this.#lists = new ObjectLists(options, this.#evaluator, this.#saved);
    stores.set(rules, this);
  }

  /**
   * Returns the store of the same objects by other rules, with the same caches and pins. At most two stores
   * of a type are retained: the first store, and the store that was requested last.
   */
  under(rules: Rules): ObjectStore<S> {
    const { stores } = this.#shared;
    const existing = stores.get(rules);
    if (existing !== undefined) return existing;
    // Other rules apply after the Radicle programs of the home were upgraded. The store of the former rules
    // is then no longer needed.
    const [, former] = stores.keys();
    if (former !== undefined) stores.delete(former);
    return new ObjectStore(this.type, rules, this.#shared);
  }

  /**
   * Returns the state after a new entry. If `state` is `undefined`, the entry creates a new object. The
   * result is neither stored nor cached.
   *
   * @throws {Refusal} when the entry is not valid for this state.
   */
  async preview(
    repository: OpenedRepository,
    entry: WouldBeEntry,
    state: S | undefined,
  ): Promise<Preview<S>> {
    const context = this.#context(repository);
    return await new EntrySteps(this, context).preview(entry, state);
  }

  /** Caches the state of an object after a new entry was stored ({@link Evaluator.record}). */
  record(rid: RepoId, entry: AppendedEntry<S>): void {
    this.#evaluator.record(rid, entry);
  }

  /** Returns the states of all objects of a repository ({@link ObjectLists.list}). */
  async list(repository: OpenedRepository): Promise<readonly S[]> {
    const { summaries, states } = await this.listed(repository);
    return await states(summaries);
  }

  /** Returns the summaries of all objects of a repository, with a function that loads states. */
  async listed(repository: OpenedRepository): Promise<Listed<S>> {
    const context = this.#context(repository);
    const list = await this.#lists.list(context, await this.#refs(repository));
    return {
      summaries: list.summaries,
      states: async (wanted) => await this.#lists.states(context, list, wanted),
    };
  }

  /**
   * Saves the evaluations of all objects of a repository as derived data ({@link saveObjects}). Returns
   * `undefined` when there are too many objects.
   *
   * @param earlier Derived data that were saved before. Unchanged blocks are not written again.
   * @param write Stores a new file. Called for a file before the files that refer to it.
   */
  async save(
    repository: OpenedRepository,
    earlier: DerivedData | undefined,
    write: (file: DerivedFile) => Promise<void>,
  ): Promise<DerivedRoot | undefined> {
    const { name: type, statuses } = this.type;
    const { rid } = repository.objects;
    const context = this.#context(repository);
    return await saveObjects({
      subject: { rid, type, generation: this.rules.generation, statuses },
      context,
      refs: await this.#refs(repository),
      evaluate: (id, targets) => this.#evaluator.evaluate(context, id, targets, true),
      earlier: earlier && await this.#saved.list({ rid, derived: earlier }, context.task),
      write,
    });
  }

  #context(repository: OpenedRepository): EvaluationContext {
    return new EvaluationContext(repository, this.#shared.docs);
  }

  async #refs({ objects, task }: OpenedRepository): Promise<readonly ResolvedRef[]> {
    return await resolveRefs(objects, `refs/namespaces/*/refs/cobs/${this.type.name}/`, task);
  }

  /**
   * Evaluates one object. Returns `undefined` when no object has this id, or when the object cannot be
   * evaluated.
   *
   * @param own A former target of one of the object's references. The evaluation includes this entry.
   */
  async get(repository: OpenedRepository, id: Oid, own?: Oid): Promise<Evaluation<S> | undefined> {
    const { objects, task } = repository;
    const refs = await resolveRefs(objects, `refs/namespaces/*/refs/cobs/${this.type.name}/${id}`, task);
    const found = refs.flatMap((ref) => this.pins.targetsOf(objects.rid, ref));
    const targets = ascending(own === undefined || found.includes(own) ? found : [...found, own]);
    if (targets.length === 0) return undefined;
    const context = this.#context(repository);
    return (await this.#evaluator.evaluate(context, id, targets, true)).evaluation;
  }
}

/** The stores of issues and patches, for all repositories. */
export interface Cobs {
  readonly issues: ObjectStore<Issue>;
  readonly patches: ObjectStore<Patch>;
  readonly docs: DocsByCommit;
}

export function createCobs(
  rules: Rules,
  log: Environment["log"],
  memory: Memory = new Memory(),
): Cobs {
  const options = { docs: createDocsByCommit(memory), log, memory };
  return {
    issues: new ObjectStore(issueType, rules, options),
    patches: new ObjectStore(patchType, rules, options),
    docs: options.docs,
  };
}

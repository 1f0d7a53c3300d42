/** Evaluates one object from its entries, and judges an entry before it is stored. */
import type { GenericSchema } from "valibot";
import { DamagedError } from "../../errors.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import { runSync, type Steps as StepsOf } from "../../scheduling/task.ts";
import type { Entry } from "../entry/entry.ts";
import type { EntryFound, EntryReader } from "../entry/entry_reader.ts";
import { ExactChecks } from "../entry/entry_signature.ts";
import {
  GRAPH_ACTION_BYTES,
  isReachable,
  loadGraph,
  orderEntries,
  requireFollowed,
  rootOf,
  visitEntries,
} from "../entry/graph.ts";
import { type EntryMetadata, type Op, Refusal } from "../op.ts";
import type { ObjectSummary } from "./object_summary.ts";
import type { Rules } from "../rules.ts";
import { TextBudget, type Texts } from "./text_budget.ts";
import type { EvaluationContext } from "./evaluation_context.ts";

/** A type of object: `A` are its actions, `O` its entries as input of a step, `S` its state. */
export interface EvaluatedType<A, O extends Op<A>, S> {
  /** Decodes the action in a stored JSON value, or in the plain data of one that is not stored yet. */
  decode(value: unknown, rules: Rules): StepsOf<A | undefined>;
  /** Looks up the branches and commits that the step needs; `state` is the state before the step. */
  resolve(op: Op<A>, state: S | undefined, context: EvaluationContext, rules: Rules): O | Promise<O>;
  /** Opens an object. Throws a {@link Refusal} when the entry does not open one. */
  open(op: O, rules: Rules): S;
  /** Called for a further entry before {@link resolve}, once it is authentic and decoded. */
  begin(state: S, id: Oid): void;
  /** Changes the state; throws a {@link Refusal} when the entry does not count. */
  apply(state: S, op: O, rules: Rules): void;
  copy(state: S): S;
  /** Marks comments, revisions and reviews with truncated texts in the state, and truncates the title. */
  truncate(state: S, truncated: ReadonlySet<Oid>): void;
}

/** A type of object that is listed, cached and changed. */
export interface ObjectType<A, O extends Op<A>, S extends ObjectSummary> extends EvaluatedType<A, O, S> {
  /** Name of the type in references and manifests. */
  readonly name: CachedType;
  /** A state with truncated texts, for lists. */
  outline(state: S): S;
  /** An action without effect, permitted to everybody under all rules. */
  idle(state: S, author: NodeId): A;
  /** The statuses that an object can have. */
  readonly statuses: readonly string[];
  /** The form of a saved state. */
  readonly form: GenericSchema<unknown, S>;
}

/** Result of evaluating an object. */
export interface Evaluation<S> {
  readonly state: S;
  /** Parents for a new entry, ascending. */
  readonly tips: readonly Oid[];
  /** Present and former targets of references that are reachable from the tips. */
  readonly reachable: readonly Oid[];
  /** Number of entries. */
  readonly size: number;
  /** Texts in the state. */
  readonly texts: Texts;
  /** Whether every entry counted. Then a further entry can be applied to the state. */
  readonly isWhole: boolean;
  /**
   * Whether no commit was missing, neither an entry nor a merged commit. With the missing commits, the result
   * might differ.
   */
  readonly isComplete: boolean;
  /** References that the result depends on besides the object's own, with their targets. */
  readonly heads: ReadonlyMap<string, Oid | undefined>;
}

/** An entry that is not stored yet. */
export interface WouldBeEntry extends EntryMetadata {
  /** JSON values of the actions. */
  readonly actions: readonly unknown[];
  /** The identity in force. */
  readonly resource: Oid;
  /** Size of the actions. */
  readonly bytes: number;
}

/** Result of one more entry. */
export interface Preview<S> {
  /** The state of the object after the entry. */
  readonly state: S;
  /** References that had a part in it. */
  readonly heads: Evaluation<S>["heads"];
  /** Size of the entry's actions. */
  readonly bytes: number;
}

/** The entries of objects of one type, applied by the rules of a generation. */
export interface EntryRules<A, O extends Op<A>, S> {
  readonly type: EvaluatedType<A, O, S>;
  readonly rules: Rules;
  /** Reads entries by these rules. */
  readonly reader: EntryReader<A>;
}

/** Evaluates objects in one context. */
export class EntrySteps<A, O extends Op<A>, S> {
  readonly #parts: EntryRules<A, O, S>;
  readonly #context: EvaluationContext;

  constructor(parts: EntryRules<A, O, S>, context: EvaluationContext) {
    this.#parts = parts;
    this.#context = context;
  }

  /**
   * Evaluates an object from its entries.
   *
   * @param enter Waits for the permission to evaluate a large object.
   * @throws {DamagedError} when the target of a reference, or the first entry, cannot be read.
   * @throws {Refusal} when the first entry opens no object.
   */
  async evaluate(id: Oid, targets: readonly Oid[], enter?: () => Promise<void>): Promise<Evaluation<S>> {
    const { task } = this.#context;
    const limits = { actionBytes: GRAPH_ACTION_BYTES, enter };
    const graph = await loadGraph((oids) => this.#read(oids, true), targets, task, limits);
    requireFollowed(graph);
    const budget = TextBudget.of(graph.entries.values());
    const checks = new ExactChecks();
    const root = rootOf(graph, id, this.#parts.rules);
    const opening = await this.#toOp(root, budget.take(root, await this.#actionsOf(root, checks)));
    const state = this.#parts.type.open(await this.#resolve(opening, undefined), this.#parts.rules);
    const order = orderEntries(graph, id, this.#parts.rules);
    const { tips, dropped } = await visitEntries(
      graph,
      order,
      task,
      (entry) => this.#apply(state, entry, budget, checks),
    );
    return {
      state,
      tips,
      texts: this.#truncated(state, budget),
      reachable: targets.filter((target) => isReachable(graph, target, dropped)),
      size: graph.entries.size,
      isWhole: dropped.size === 0,
      isComplete: graph.isComplete && !this.#context.lacksCommits,
      heads: this.#context.heads,
    };
  }

  /**
   * Applies an entry to a copy of the state of its object; without a state, opens an object with it.
   *
   * @throws {Refusal} when the entry would not count.
   */
  async preview(entry: WouldBeEntry, state: S | undefined): Promise<Preview<S>> {
    const { id, bytes } = entry;
    const { heads } = this.#context;
    const actions = entry.actions.map((value) => runSync(this.#parts.type.decode(value, this.#parts.rules)))
      .filter((action) => action !== undefined);
    if (actions.length < entry.actions.length) throw new Refusal("malformed", "An action is not known");
    // The programs of 2024 take changes without effect, and write them.
    const isNew = state !== undefined && this.#parts.rules.generation !== "2024";
    const op = await this.#resolve({ ...await this.#toOp(entry, actions), isNew }, state);
    if (state === undefined) return { state: this.#parts.type.open(op, this.#parts.rules), heads, bytes };
    const next = this.#parts.type.copy(state);
    this.#parts.type.begin(next, id);
    this.#parts.type.apply(next, op, this.#parts.rules);
    return { state: next, heads, bytes };
  }

  /** Reads entries, large ones without their actions where they may be spared. */
  #read(oids: readonly Oid[], maySpare?: boolean): Promise<readonly EntryFound<A>[]> {
    return this.#parts.reader.read(this.#context.repository, oids, this.#context.task, maySpare);
  }

  async #apply(state: S, entry: Entry<A>, budget: TextBudget, checks: ExactChecks): Promise<void> {
    const actions = await this.#actionsOf(entry, checks);
    this.#parts.type.begin(state, entry.id);
    const op = await this.#toOp(entry, budget.take(entry, actions));
    this.#parts.type.apply(state, await this.#resolve(op, state), this.#parts.rules);
  }

  #resolve(op: Op<A>, state: S | undefined): O | Promise<O> {
    return this.#parts.type.resolve(op, state, this.#context, this.#parts.rules);
  }

  /** The actions of an entry, which may be bare. */
  async #actionsOf(entry: Entry<A>, checks: ExactChecks): Promise<readonly A[]> {
    if (!await entry.signature.verify(checks, this.#context.task)) {
      throw new Refusal("malformed", "The signature of an entry does not verify");
    }
    const [found] = entry.isBare ? await this.#read([entry.id]) : [entry];
    if (typeof found !== "object") throw new DamagedError(`Entry ${entry.id} is there no more`);
    if (found.actions === undefined) throw new Refusal("malformed", "An action is not known");
    return found.actions;
  }

  async #toOp(
    { id, author, timeSeconds, resource }: EntryMetadata & { readonly resource: Oid | undefined },
    actions: readonly A[],
  ): Promise<Op<A>> {
    return { id, author, timeSeconds, actions, doc: await this.#context.doc(resource, this.#parts.rules) };
  }

  /** The texts of a state, truncated where they exceed their budget. */
  #truncated(state: S, { texts }: TextBudget): Texts {
    if (texts.limitBytes !== Infinity) this.#parts.type.truncate(state, texts.truncated);
    return texts;
  }
}

/**
 * Evaluates an issue or a patch: computes its state from its entries, which are signed changes. Also computes
 * the state that a new entry would produce, before the entry is stored.
 */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
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
import type { Rules } from "../rules.ts";
import { areCut, OBJECT_TEXTS, TextBudget, type TextLimits, type Texts } from "./text_budget.ts";
import type { EvaluationContext } from "./evaluation_context.ts";

/**
 * Functions for one type of object. `A` is an action, which is one step of an entry. `O` is an entry with the
 * data that applying it needs. `S` is the state of an object.
 */
export interface EvaluatedType<A, O, S> {
  /**
   * Decodes an action from stored JSON, or from plain data if the action is not stored yet. Returns
   * `undefined` for an unknown action.
   */
  decode(value: unknown, rules: Rules): StepsOf<A | undefined>;
  /**
   * Adds to the entry the information about branches and commits that {@link apply} needs. `state` is the
   * state before the entry; `undefined` for the first entry of an object.
   */
  resolve(op: Op<A>, state: S | undefined, context: EvaluationContext, rules: Rules): O | Promise<O>;
  /**
   * Creates the state of an object from its first entry. Throws a {@link Refusal} when the entry does not
   * create an object.
   */
  open(op: O, rules: Rules): S;
  /**
   * Called for each entry after the first entry, before {@link resolve}. At this point, the signature is
   * verified and the actions are decoded.
   */
  begin(state: S, id: Oid): void;
  /** Changes the state in place. Throws a {@link Refusal} when the entry is not valid for this state. */
  apply(state: S, op: O, rules: Rules): void;
  copy(state: S): S;
  /**
   * Called when some texts of the state were cut. Cuts the title and the lists of the state in place, and
   * marks the state as truncated.
   *
   * @param marked Ids of the comments, revisions and reviews whose texts were cut.
   */
  cut(state: S, marked: ReadonlySet<Oid>, limits: TextLimits): void;
}

export interface Evaluation<S> {
  readonly state: S;
  /** Ids of the newest entries, in ascending order. They become the parents of a new entry. */
  readonly tips: readonly Oid[];
  /** Present and former targets of the object's references that are reachable from `tips`. */
  readonly reachable: readonly Oid[];
  readonly size: number;
  readonly texts: Texts;
  /**
   * Whether every entry was applied. If an entry was refused, {@link Evaluator.record} cannot add a new entry
   * to this evaluation.
   */
  readonly isWhole: boolean;
  /**
   * Whether all needed commits were found. If an entry or a merged commit is missing, the result may change
   * when the missing commit is fetched.
   */
  readonly isComplete: boolean;
  /** Branches on which the result depends, by the full name of the reference, with their targets. */
  readonly heads: ReadonlyMap<string, Oid | undefined>;
}

/** An entry that is not stored yet. */
export interface WouldBeEntry extends EntryMetadata {
  /** Actions as plain data. */
  readonly actions: readonly unknown[];
  /** Commit of the identity document that is in force for the entry. */
  readonly resource: Oid;
  readonly bytes: number;
}

export interface Preview<S> {
  /** State of the object after the entry. */
  readonly state: S;
  /** Branches on which `state` depends, by the full name of the reference, with their targets. */
  readonly heads: Evaluation<S>["heads"];
  readonly bytes: number;
}

/**
 * Functions that read and apply the entries of one type of object by the rules of one generation of Radicle
 * programs.
 */
export interface EntryRules<A, O, S> {
  readonly type: EvaluatedType<A, O, S>;
  readonly rules: Rules;
  readonly reader: EntryReader<A>;
}

/** Evaluates objects of one type in one context. */
export class EntrySteps<A, O, S> {
  readonly #options: EntryRules<A, O, S>;
  readonly #context: EvaluationContext;

  constructor(options: EntryRules<A, O, S>, context: EvaluationContext) {
    this.#options = options;
    this.#context = context;
  }

  /**
   * Computes the state of an object from its entries.
   *
   * @param textLimits Limits for the texts in the state.
   * @param enter Called for a large object. Evaluation continues when the returned promise is fulfilled.
   * @throws {DamagedError} when the first entry, or the target of a reference, cannot be read.
   * @throws {Refusal} when the first entry does not create an object.
   */
  async evaluate(
    id: Oid,
    targets: readonly Oid[],
    textLimits: TextLimits = OBJECT_TEXTS,
    enter?: () => Promise<void>,
  ): Promise<Evaluation<S>> {
    const { task } = this.#context;
    const { type, rules } = this.#options;
    const limits = { actionBytes: GRAPH_ACTION_BYTES, enter };
    const graph = await loadGraph((oids) => this.#read(oids, true), targets, task, limits);
    requireFollowed(graph);
    const budget = new TextBudget(graph.entries.values(), textLimits);
    const checks = new ExactChecks();
    const root = rootOf(graph, id, rules);
    const opening = await this.#toOp(root, await this.#actionsOf(root, checks));
    const state = type.open(await this.#resolve(budget.take(opening, root.bytes), undefined), rules);
    const order = orderEntries(graph, id, rules);
    const { tips, dropped } = await visitEntries(
      graph,
      order,
      task,
      (entry) => this.#apply(state, entry, budget, checks),
    );
    if (areCut(budget.texts)) type.cut(state, budget.cut, textLimits);
    return {
      state,
      tips,
      texts: budget.texts,
      reachable: targets.filter((target) => isReachable(graph, target, dropped)),
      size: graph.entries.size,
      isWhole: dropped.size === 0,
      isComplete: graph.isComplete && !this.#context.lacksCommits,
      heads: this.#context.heads,
    };
  }

  /**
   * Applies a new entry to a copy of `state`. If `state` is `undefined`, the entry creates a new object.
   *
   * @throws {Refusal} when the entry is not valid for this state.
   */
  async preview(entry: WouldBeEntry, state: S | undefined): Promise<Preview<S>> {
    const { id, bytes } = entry;
    const { heads } = this.#context;
    const { type, rules } = this.#options;
    const actions = entry.actions.map((value) => runSync(type.decode(value, rules)))
      .filter((action) => action !== undefined);
    if (actions.length < entry.actions.length) throw new Refusal("malformed", "Unknown action");
    // The Radicle programs of 2024 need no permission for an action that has no effect.
    const needsEffectiveRight = state !== undefined && rules.generation !== "2024";
    const op = await this.#resolve({ ...await this.#toOp(entry, actions), needsEffectiveRight }, state);
    if (state === undefined) return { state: type.open(op, rules), heads, bytes };
    const next = type.copy(state);
    type.begin(next, id);
    type.apply(next, op, rules);
    return { state: next, heads, bytes };
  }

  #read(oids: readonly Oid[], maySpare?: boolean): Promise<readonly EntryFound<A>[]> {
    return this.#options.reader.read(this.#context.repository, oids, this.#context.task, maySpare);
  }

  async #apply(state: S, entry: Entry<A>, budget: TextBudget, checks: ExactChecks): Promise<void> {
    const { type, rules } = this.#options;
    const actions = await this.#actionsOf(entry, checks);
    type.begin(state, entry.id);
    const op = await this.#toOp(entry, actions);
    type.apply(state, await this.#resolve(budget.take(op, entry.bytes), state), rules);
  }

  #resolve(op: Op<A>, state: S | undefined): O | Promise<O> {
    return this.#options.type.resolve(op, state, this.#context, this.#options.rules);
  }

  /**
   * Verifies the signature of an entry, and returns the actions. Actions that were left out to save memory
   * are read from the repository.
   */
  async #actionsOf(entry: Entry<A>, checks: ExactChecks): Promise<readonly A[]> {
    if (!await entry.signature.verify(checks, this.#context.task)) {
      throw new Refusal("malformed", "The signature of an entry does not verify");
    }
    const [found] = entry.isBare ? await this.#read([entry.id]) : [entry];
    if (typeof found !== "object") throw new DamagedError(`Entry ${entry.id} does not exist any more`);
    if (found.actions === undefined) throw new Refusal("malformed", "Unknown action");
    return found.actions;
  }

  async #toOp(
    { id, author, timeSeconds, resource }: EntryMetadata & { readonly resource: Oid | undefined },
    actions: readonly A[],
  ): Promise<Op<A>> {
    return { id, author, timeSeconds, actions, doc: await this.#context.doc(resource, this.#options.rules) };
  }
}

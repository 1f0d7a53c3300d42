/**
 * Evaluates one object: from its entries, or from an earlier state and the entries since; and judges an entry
 * before it is stored.
 */
import type { GenericSchema } from "valibot";
import { DamagedError } from "../../errors.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import { runSync, type Steps as StepsOf } from "../../scheduling/task.ts";
import type { Entry } from "../entry/entry.ts";
import type { EntryFound, EntryReader } from "../entry/entry_reader.ts";
import {
  GRAPH_ACTION_BYTES,
  isReachable,
  LARGE_GRAPH_BYTES,
  loadGraph,
  MAX_ENTRIES,
  orderEntries,
  requireFollowed,
  rootOf,
  visitEntries,
} from "../entry/graph.ts";
import { type EntryMetadata, type Op, Refusal } from "../op.ts";
import type { ObjectSummary } from "./object_summary.ts";
import type { Rules } from "../rules.ts";
import { hasRoom, TextBudget, type Texts } from "./text_budget.ts";
import type { EvaluationContext } from "./evaluation_context.ts";

/** A type of object: `A` are its actions, `O` its entries as input of a step, `S` its state. */
export interface EvaluatedType<A, O extends Op<A>, S> {
  /** Decodes the action in a stored JSON value, plain or a node. */
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

/** Longest chain of new entries that extends an earlier state. Beyond that, the object is evaluated anew. */
const MAX_EXTENSION = 256;

/**
 * Evaluates an object from its entries.
 *
 * @param enter Waits for the permission to evaluate a large object.
 * @throws {DamagedError} when the target of a reference, or the first entry, cannot be read.
 * @throws {Refusal} when the first entry opens no object.
 */
export async function evaluate<A, O extends Op<A>, S>(
  type: EvaluatedType<A, O, S>,
  rules: Rules,
  reader: EntryReader<A>,
  context: EvaluationContext,
  id: Oid,
  targets: readonly Oid[],
  enter?: () => Promise<void>,
): Promise<Evaluation<S>> {
  const read = readFrom(reader, context);
  const graph = await loadGraph((oids) => read(oids, true), targets, context.task, {
    actionBytes: GRAPH_ACTION_BYTES,
    enter,
  });
  requireFollowed(graph);
  const budget = TextBudget.of(graph.entries.values());
  const steps = { type, rules, context, read, budget };
  const root = rootOf(graph, id, rules);
  const opening = await toOp(root, budget.take(root, await readActions(steps, root)), rules, context);
  const state = type.open(await type.resolve(opening, undefined, context, rules), rules);
  const { tips, dropped } = await visitEntries(
    graph,
    orderEntries(graph, id, rules),
    context.task,
    async (entry) => {
      await applyEntry(steps, state, entry);
    },
  );
  const { texts } = budget;
  if (texts.limitBytes !== Infinity) type.truncate(state, texts.truncated);
  return {
    state,
    tips,
    texts,
    reachable: targets.filter((target) => isReachable(graph, target, dropped)),
    size: graph.entries.size,
    isWhole: dropped.size === 0,
    isComplete: graph.isComplete && !context.lacksCommits,
    heads: context.heads,
  };
}

/**
 * Extends an earlier evaluation by the entries since; `undefined` when the object must be evaluated anew. A
 * chain of new entries on top of all earlier entries comes last under any rules.
 */
export async function extend<A, O extends Op<A>, S>(
  type: EvaluatedType<A, O, S>,
  rules: Rules,
  reader: EntryReader<A>,
  context: EvaluationContext,
  earlier: Evaluation<S>,
  target: Oid,
  enter?: () => Promise<void>,
): Promise<Evaluation<S> | undefined> {
  if (!earlier.isWhole || !earlier.isComplete) return undefined;
  const read = readFrom(reader, context);
  const chain = await readChain(read, target, earlier.tips);
  if (chain === undefined || earlier.size + chain.length > MAX_ENTRIES) return undefined;
  const bytes = chain.reduce((sum, entry) => sum + entry.bytes, 0);
  if (!hasRoom(earlier.texts, bytes)) return undefined;
  if (bytes > LARGE_GRAPH_BYTES) await enter?.();
  const budget = new TextBudget(earlier.texts);
  const state = type.copy(earlier.state);
  try {
    for (const entry of chain) await applyEntry({ type, rules, context, read, budget }, state, entry);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  const heads = new Map([...earlier.heads, ...context.heads]);
  const { texts } = budget;
  if (texts.limitBytes !== Infinity) type.truncate(state, texts.truncated);
  return {
    ...earlier,
    state,
    texts,
    tips: [target],
    reachable: [...earlier.reachable, target],
    size: earlier.size + chain.length,
    heads,
  };
}

/**
 * The entries above `tips` up to `target`, if they are a chain whose first entry has all tips as its parents.
 */
async function readChain<A>(
  read: ReadEntries<A>,
  target: Oid,
  tips: readonly Oid[],
): Promise<readonly Entry<A>[] | undefined> {
  const chain: Entry<A>[] = [];
  let heldBytes = 0;
  for (let id: Oid | undefined = target; id !== undefined && chain.length < MAX_EXTENSION;) {
    const [entry]: readonly EntryFound<A>[] = await read([id], true);
    if (entry === undefined || typeof entry === "string" || entry.isMalformed) return undefined;
    heldBytes += entry.bytes;
    chain.unshift(heldBytes <= LARGE_GRAPH_BYTES ? entry : { ...entry, actions: undefined, isBare: true });
    const parents = new Set(entry.parents);
    if (parents.size === tips.length && tips.every((tip) => parents.has(tip))) return chain;
    id = parents.size === 1 ? entry.parents[0] : undefined;
  }
  return undefined;
}

/** Reads entries, large ones without their actions where they may be spared. */
type ReadEntries<A> = (oids: readonly Oid[], maySpare?: boolean) => Promise<readonly EntryFound<A>[]>;

function readFrom<A>(reader: EntryReader<A>, { repository, task }: EvaluationContext): ReadEntries<A> {
  return (oids, maySpare) => reader.read(repository, oids, task, maySpare);
}

/** Parts with which entries are applied. */
interface Steps<A, O extends Op<A>, S> {
  readonly type: EvaluatedType<A, O, S>;
  readonly rules: Rules;
  readonly context: EvaluationContext;
  readonly read: ReadEntries<A>;
  readonly budget: TextBudget;
}

async function applyEntry<A, O extends Op<A>, S>(
  steps: Steps<A, O, S>,
  state: S,
  entry: Entry<A>,
): Promise<void> {
  const { type, rules, context, budget } = steps;
  const actions = await readActions(steps, entry);
  type.begin(state, entry.id);
  const op = await toOp(entry, budget.take(entry, actions), rules, context);
  type.apply(state, await type.resolve(op, state, context, rules), rules);
}

/** The actions of an entry, which may be bare. */
async function readActions<A>(
  { read }: { readonly read: ReadEntries<A> },
  entry: Entry<A>,
): Promise<readonly A[]> {
  if (!await entry.isAuthentic) throw new Refusal("malformed", "The signature of an entry does not verify");
  const [found] = entry.isBare ? await read([entry.id]) : [entry];
  if (typeof found !== "object") throw new DamagedError(`Entry ${entry.id} is there no more`);
  if (found.actions === undefined) throw new Refusal("malformed", "An action is not known");
  return found.actions;
}

async function toOp<A>(
  { id, author, timeSeconds, resource }: Entry<A>,
  actions: readonly A[],
  rules: Rules,
  context: EvaluationContext,
): Promise<Op<A>> {
  return { id, author, timeSeconds, actions, doc: await context.doc(resource, rules) };
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

/**
 * Applies an entry to a copy of the state of its object; without a state, opens an object with it.
 *
 * @throws {Refusal} when the entry would not count.
 */
export async function previewEntry<A, O extends Op<A>, S>(
  type: EvaluatedType<A, O, S>,
  rules: Rules,
  context: EvaluationContext,
  entry: WouldBeEntry,
  state: S | undefined,
): Promise<Preview<S>> {
  const { id, author, timeSeconds, resource, bytes } = entry;
  const actions = entry.actions.map((value) => runSync(type.decode(value, rules)))
    .filter((action) => action !== undefined);
  if (actions.length < entry.actions.length) throw new Refusal("malformed", "An action is not known");
  const doc = await context.doc(resource, rules);
  // The programs of 2024 take changes without effect, and write them.
  const isNew = state !== undefined && rules.generation !== "2024";
  const op = await type.resolve({ id, author, timeSeconds, actions, doc, isNew }, state, context, rules);
  if (state === undefined) return { state: type.open(op, rules), heads: context.heads, bytes };
  const next = type.copy(state);
  type.begin(next, id);
  type.apply(next, op, rules);
  return { state: next, heads: context.heads, bytes };
}

/**
 * Judges an entry before it is stored: applies it to the state of its object, under the same steps as a
 * stored one.
 */
import type { Oid } from "../../ids/oid.ts";
import { runSync } from "../../scheduling/task.ts";
import type { EntryMetadata, Op } from "../op.ts";
import { Refusal } from "../refusal.ts";
import type { Rules } from "../rules.ts";
import type { Evaluation, ObjectType } from "./evaluation.ts";
import type { EvaluationContext } from "./evaluation_context.ts";

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
  type: ObjectType<A, O, S>,
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

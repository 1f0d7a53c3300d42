/** Encodes the evaluation of an issue or a patch as one line of JSON, and decodes the line. */
import * as v from "valibot";
import type { Oid } from "../../../ids/oid.ts";
import { Count, FullOid, toFormJson } from "../../entry/state_forms.ts";
import type { Evaluation } from "../evaluation.ts";
import { Heads } from "./saved_list.ts";

/**
 * An evaluation, with the id of the object and the targets of the references with which the object was
 * evaluated.
 */
export interface SavedEvaluation<S> {
  readonly id: Oid;
  /** Targets of the object's references, in ascending order. */
  readonly targets: readonly Oid[];
  readonly evaluation: Evaluation<S>;
}

/** Decodes the line of an evaluation. Returns `undefined` when the line is invalid. */
export type DecodeEvaluation<S> = (line: string) => SavedEvaluation<S> | undefined;

/** Encodes an evaluation as a line of JSON that begins with {@link lineStart}. */
export function encodeEvaluation<S>({ id, targets, evaluation }: SavedEvaluation<S>): string {
  return toFormJson({ id, targets, ...evaluation });
}

export function lineStart(id: Oid): string {
  return `{"id":"${id}",`;
}

/** Creates a decoder for evaluations whose states match the schema `state`. */
export function evaluationDecoder<S>(state: v.GenericSchema<unknown, S>): DecodeEvaluation<S> {
  const form = v.strictObject({
    id: FullOid,
    targets: v.array(FullOid),
    state,
    tips: v.array(FullOid),
    reachable: v.array(FullOid),
    size: Count,
    texts: v.strictObject({ bytes: Count, wholeBytes: Count }),
    isWhole: v.boolean(),
    isComplete: v.boolean(),
    heads: Heads,
  });
  return (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return undefined;
    }
    const result = v.safeParse(form, value, { abortEarly: true });
    if (!result.success) return undefined;
    const { id, targets, ...evaluation } = result.output;
    return { id, targets, evaluation };
  };
}

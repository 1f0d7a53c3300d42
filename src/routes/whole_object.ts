/** Answers with one issue or patch: all of its texts, in pieces when they are long (2.17). */
import type { Call } from "./call.ts";
import type { Evaluation } from "../cob/evaluation/evaluation.ts";
import type { Truncated } from "../cob/op.ts";
import type { Oid } from "../ids/oid.ts";
import type { AnswerOf } from "../http/answer.ts";
import { jsonPieces, jsonText } from "../http/respond.ts";
import { STREAMED_TEXT_BYTES, type ToView } from "../views/cached_texts.ts";
import { type ReadActions, WholeTexts } from "../views/whole_texts.ts";

/** An object that is shown, and the parts of its view. */
export interface ShownObject<T extends object> {
  /** Key of the cached view: the state of the object, or something that is one with it. */
  readonly subject: T;
  /** Makes the view; `whole` has the texts that are truncated in the state. */
  view(whole: WholeTexts | undefined): ToView<T>;
  /** A value that is the same as long as all else in the view is. */
  besides?(subject: T): unknown;
  /** Parts with truncated texts, in the order of the view. */
  readonly groups: Iterable<readonly Truncated[]>;
  /** Reads the actions of an entry of the object. */
  readonly read: ReadActions;
}

/**
 * The answer with an object.
 *
 * @throws {ApiError} `unavailable` when there is no memory for its texts.
 */
export async function wholeObject<T extends object, V>(
  call: Call,
  { state: { truncated }, texts: { bytes } }: Pick<
    Evaluation<{ readonly truncated?: ReadonlySet<Oid> }>,
    "state" | "texts"
  >,
  { subject, view, besides, groups, read }: ShownObject<T>,
): Promise<AnswerOf<V>> {
  const { node, texts, environment } = call.service;
  if (truncated === undefined && bytes <= STREAMED_TEXT_BYTES) {
    return jsonText((await texts.of(node, [subject], view(undefined), besides))[0]!);
  }
  const whole = truncated && new WholeTexts(groups, read);
  if (whole !== undefined) await call.requireRoom(whole.heldBytes);
  return await jsonPieces(texts.pieces(node, subject, view(whole)), environment.log, {
    heldBytes: whole?.heldBytes ?? 0,
  });
}

/** Decides whether two answers to a question are equal, differ as documented, or differ otherwise. */
import type { Answer, NoAnswerError } from "./answers.ts";
import { type Difference, differencesOf, isList, isObject, type Json, objectOf } from "./json.ts";
import { type Known, KNOWN_DIFFERENCES } from "./known_differences.ts";
import type { Question } from "./sample.ts";
import { ACTIVITY_WINDOW_SECONDS } from "../../src/routes/commits.ts";

/** The answers of both services. */
export interface Pair {
  readonly theirs: Answer | NoAnswerError;
  readonly ours: Answer | NoAnswerError;
}

/** The outcome of a question. The answers are equal when both members are empty. */
export interface Verdict {
  /** Documented differences between the answers. */
  readonly explained: ReadonlySet<Known>;
  /** Other differences. */
  readonly faults: readonly Fault[];
}

/** An undocumented difference: of a member, or of the answers as a whole. */
export type Fault = Difference | { readonly theirs: string; readonly ours: string };

/**
 * Compares the answers to a question.
 *
 * When the statuses differ, only these are judged. Otherwise the forms of other releases are converted into ours
 * first; a conversion counts as an explanation when it removes a difference. Each member that still differs needs
 * an explanation of its own.
 */
export function judge(question: Question, pair: Pair): Verdict {
  const { theirs, ours } = pair;
  const isError = !(ours instanceof Error) && ours.status >= 400;
  const known = KNOWN_DIFFERENCES.filter((one) =>
    (one.dialect ?? question.dialect) === question.dialect && one.routes.test(question.route) &&
    (one.isOfErrors ?? false) === isError
  );
  if (ours instanceof Error || theirs instanceof Error || theirs.status !== ours.status) {
    const why = known.find(({ outcomes }) => outcomes?.(outcomeOf(theirs), outcomeOf(ours)));
    if (why !== undefined) return { explained: new Set([why]), faults: [] };
    return { explained: new Set(), faults: [{ theirs: inWords(theirs), ours: inWords(ours) }] };
  }
  const explained = new Set<Known>();
  const nowSeconds = Date.now() / 1000;
  let [left, right] = [theirs.json, ours.json].map((json) => steadyPart(json, question.path, nowSeconds));
  let differences = differencesOf(left, right);
  for (const one of known) {
    if (differences.length === 0 || left === undefined || right === undefined) break;
    const alike = one.alike?.(left, right);
    if (alike === undefined) continue;
    const before = differences;
    [left, right] = alike;
    differences = differencesOf(left, right);
    const pointers = new Set(differences.map(({ pointer }) => pointer));
    if (before.some(({ pointer }) => !pointers.has(pointer))) explained.add(one);
  }
  const faults: Fault[] = [];
  for (const difference of differences) {
    const why = known.find(({ members, fits = () => true }) =>
      members?.test(difference.pointer) === true && fits(difference, question.path)
    );
    if (why === undefined) faults.push(difference);
    else explained.add(why);
  }
  return { explained, faults };
}

/** The status of an answer; 0 for a closed connection, -1 for no answer within the limits. */
function outcomeOf(answer: Answer | NoAnswerError): number {
  return answer instanceof Error ? answer.isClosed ? 0 : -1 : answer.status;
}

/** An answer in the report when only its status matters. */
function inWords(answer: Answer | NoAnswerError): string {
  return answer instanceof Error ? answer.message : `status ${answer.status}`;
}

/** Clocks may differ by this at the start of the window of `/activity`, in seconds. */
const ACTIVITY_MARGIN_SECONDS = 60;

/**
 * The answer without the times of `/activity` that are so near to the start of its window that a clock may exclude them.
 *
 * @param path Path of the request.
 */
export function steadyPart(json: Json | undefined, path: string, nowSeconds: number): Json | undefined {
  if (!/\/activity(\?|$)/.test(path) || !isObject(json) || !isList(json["activity"])) return json;
  const fromSeconds = nowSeconds - ACTIVITY_WINDOW_SECONDS + ACTIVITY_MARGIN_SECONDS;
  const times = json["activity"].filter((time) => typeof time !== "number" || time > fromSeconds);
  return objectOf([...Object.entries(json), ["activity", times]]);
}

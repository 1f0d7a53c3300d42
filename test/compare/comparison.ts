/** Asks two services the same questions, one after another, and counts how their answers compare. */
import { type Answer, type Ask, NoAnswerError } from "./answers.ts";
import { itemsOf, membersOf } from "./json.ts";
import { type Fault, judge, type Verdict } from "./judge.ts";
import type { Known } from "./known_differences.ts";
import { MAX_UNANSWERED } from "./limits.ts";
import { type Dialect, type Question, Sample } from "./sample.ts";

/** Faults shown for one route. */
const MAX_FAULTS = 5;

/** One of the services cannot be asked; the message is for the operator. */
export class CannotAskError extends Error {
  override readonly name = "CannotAskError";
}

/** The other service, as it describes itself. */
export interface Other {
  /** Its own text: may be long and may contain control characters. */
  readonly version: string;
  /** The dialects whose list of repositories it links to. */
  readonly dialects: readonly Dialect[];
}

/** How the answers of one route compare. */
export class RouteCount {
  /** Questions that were asked. */
  asked = 0;
  /** Answers without any difference. */
  equal = 0;
  /** Answers whose differences are all documented. */
  explained = 0;
  /** Answers with at least one other difference. */
  unexplained = 0;
  /** Answers by the documented differences in them. */
  readonly known = new Map<Known, number>();
  /** The first faults. */
  readonly faults: { readonly path: string; readonly fault: Fault }[] = [];

  /** Adds the outcome of a question. */
  count({ path }: Question, { explained, faults }: Verdict): void {
    this.asked++;
    if (faults.length > 0) this.unexplained++;
    else if (explained.size > 0) this.explained++;
    else this.equal++;
    for (const one of explained) this.known.set(one, (this.known.get(one) ?? 0) + 1);
    for (const fault of faults.slice(0, MAX_FAULTS - this.faults.length)) this.faults.push({ path, fault });
  }
}

/** Routes by dialect and pattern. */
export type Counts = ReadonlyMap<Dialect, ReadonlyMap<string, RouteCount>>;

/**
 * Asks the other service what it is.
 *
 * @throws {CannotAskError} when it does not answer, or is not a `radicle-httpd`.
 */
export async function meet(other: Ask): Promise<Other> {
  const answer = await asked(other, "/api/v1");
  if (answer instanceof Error) throw new CannotAskError(answer.message);
  const { service, version, links } = membersOf(answer.json);
  if (answer.status !== 200 || service !== "radicle-httpd") {
    throw new CannotAskError("it is not a radicle-httpd: /api/v1 does not say so");
  }
  const hrefs = itemsOf(links).map((link) => membersOf(link)["href"]);
  const dialects = ([["v1", "/projects"], ["today", "/repos"]] as const)
    .filter(([, href]) => hrefs.includes(href)).map(([dialect]) => dialect);
  if (dialects.length === 0) throw new CannotAskError("it lists neither /projects nor /repos");
  return { version: typeof version === "string" ? version : "unknown", dialects };
}

/** Options of {@link compareServices}. */
export interface ComparisonOptions {
  readonly dialects: readonly Dialect[];
  /** Most requests to each service, of all dialects together. */
  readonly requests: number;
  /** Called before each question. */
  readonly onQuestion?: (question: Question, asked: number) => void;
}

/** The outcome of a comparison. */
export interface Compared {
  readonly counts: Counts;
  /** Why the other service stopped answering, if it did before the end. */
  readonly stopped?: string;
}

/**
 * Compares the answers of another service with ours. Dialects take turns. Never sends two requests at once: the
 * other service may have users.
 */
export async function compareServices(
  theirs: Ask,
  ours: Ask,
  { dialects, requests, onQuestion }: ComparisonOptions,
): Promise<Compared> {
  const counts = new Map<Dialect, Map<string, RouteCount>>();
  const known = new Set<string>();
  const samples = dialects.map((dialect) => new Sample(dialect, known));
  let unanswered = 0;
  for (let done = 0, at = 0, empty = 0; done < requests && empty < samples.length; at++) {
    const sample = samples[at % samples.length]!;
    const question = sample.next();
    if (question === undefined) {
      empty++;
      continue;
    }
    empty = 0;
    onQuestion?.(question, done++);
    const { dialect, route, path } = question;
    const left = await asked(theirs, path);
    const right = await asked(ours, path);
    const routes = counts.get(dialect) ?? new Map<string, RouteCount>();
    const count = routes.get(route) ?? new RouteCount();
    counts.set(dialect, routes.set(route, count));
    count.count(question, judge(question, { theirs: left, ours: right }));
    unanswered = left instanceof Error ? unanswered + 1 : 0;
    if (left instanceof Error) {
      if (unanswered === MAX_UNANSWERED) return { counts, stopped: left.message };
    } else if (left.status === 200) sample.follow(question, left.json);
  }
  return { counts };
}

/** The answer to a path, or why there is none. */
function asked(ask: Ask, path: string): Promise<Answer | NoAnswerError> {
  return ask(path).catch((error: unknown) => {
    if (error instanceof NoAnswerError) return error;
    throw error;
  });
}

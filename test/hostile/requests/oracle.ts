/** Judges what was heard on a connection, and what a service wrote meanwhile. */
import { ROOT } from "../../support/programs.ts";
import { MAX_PIPELINED } from "../../../adapters/server/connections.ts";
import { type HeardAnswer, readAnswers } from "./answers.ts";
import { type Conversation, MARKS } from "./conversation.ts";
import type { Heard } from "./exchange.ts";

/**
 * Statuses of 500 and above that are no fault: not supported, not now; of proxies, another version of HTTP, and
 * 502 where the refusal of a malformed request is lost since its body is still sent (RFC 9112, 9.6). If the
 * service read on meanwhile, Deno would send answers to other connections.
 */
const NO_FAULTS = [501, 503];
const NO_FAULTS_OF_PROXIES = [...NO_FAULTS, 502, 505];

/** What no answer tells: places in the code and on the machine. */
const INNER = /\n\s+at |\.[cm]?[jt]s:\d+|node:internal|node_modules|file:\/\/|\/storage\//;

/** What is wrong with the answers to a conversation; usually nothing. */
export function faultsOf(
  conversation: Conversation,
  heard: Heard,
  { isProxied }: { readonly isProxied: boolean },
): string[] {
  const { led, isHead, isOld } = conversation;
  const { answers, rest } = readAnswers(heard.text, isHead ? led : -1);
  const allowed = isProxied ? NO_FAULTS_OF_PROXIES : NO_FAULTS;
  const faults = [
    ...faultsOfMarks(conversation, heard.text),
    ...isProxied ? [] : faultsOfOrder(conversation, heard, answers),
  ];
  for (const { status, body } of answers) {
    if (status >= 500 && !allowed.includes(status)) faults.push(`status ${status}`);
    if (status >= 400 && (INNER.test(body) || body.includes(ROOT))) {
      faults.push(`tells too much: ${body.slice(0, 300)}`);
    }
  }
  // A proxy may not understand so much of a HEAD request as to leave the body of its refusal away.
  if (rest !== "" && !(isProxied && (isHead || isOld))) {
    faults.push(`no answer: ${JSON.stringify(rest.slice(0, 200))}`);
  }
  if (heard.end === "hangs") faults.push("the connection stays open");
  return faults;
}

/** Answers belong to requests of this connection, in their order, and hidden requests have none. */
function faultsOfMarks({ number, pieces }: Conversation, text: string): string[] {
  const sent = pieces.join("");
  const faults = new Set<string>();
  let latest = "";
  for (const [mark, of, label = latest] of text.matchAll(MARKS)) {
    // A changed mark of its own may be that of another one.
    if (Number(of) !== number && sent.includes(mark)) continue;
    if (Number(of) !== number) faults.add(`the answer to a request of another connection: ${mark}`);
    else if (label === "ss") faults.add("the answer to a hidden request");
    else if (label < latest) faults.add(`answers in another order: ${mark} after ${latest}`);
    else latest = label;
  }
  return [...faults];
}

/** The marked requests that come first have the first answers. Some proxies leave them out if a later one is malformed. */
function faultsOfOrder(
  { led, ending, isPreface }: Conversation,
  { end }: Heard,
  answers: readonly HeardAnswer[],
): string[] {
  // Who says that it sends no more has left, for some programs; and a long pipeline is cut off.
  if (ending !== "wait" || led >= MAX_PIPELINED || isPreface) return [];
  for (let i = 0; i < Math.min(led, answers.length); i++) {
    const { status, body, isWhole } = answers[i]!;
    if (isWhole && !body.includes(`x${String(i).padStart(2, "0")}`) && status !== 503) {
      return [`request ${i + 1} of ${led} is answered ${status} ${JSON.stringify(body.slice(0, 100))}`];
    }
  }
  return led > 0 && answers.length === 0 && end === "closed" ? ["no answer to a good request"] : [];
}

/** Lines of a log that no request may cause: errors that nobody caught, and stacks. */
const FAULTY_LINE = /unhandled|uncaught|\bpanic|segmentation| error .* at .*[:)]\d+/i;

/** Lines of a service's output that tell of a fault. */
export function faultyLines(output: string): string[] {
  return output.split("\n").filter((line) => FAULTY_LINE.test(line));
}

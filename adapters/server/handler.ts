/** A handler between a server and the API, which answers every request, whatever the API does. */
import type { Answer, Client, Environment } from "../../mod.ts";
import {
  errorAnswer,
  failedAnswer,
  hasUrl,
  neverThrowing,
  respond,
  withoutUrlAnswer,
} from "../../src/http/respond.ts";
import { type ResponseClass, withHeaders } from "../../src/http/answer.ts";
import { Answers, isResponse } from "./answers.ts";

export type { ResponseClass };

/** Header field with the id of a request: of requests behind a proxy, of answers of status 500 and above. */
export const REQUEST_ID_FIELD = "x-request-id";

/**
 * Answers a request, best with an `Answer`, which tells the memory that it holds. `client` is the other end
 * of the connection; unknown when it has closed already.
 */
export type Handler = (
  request: Request,
  client?: Client,
) => Answer | Response | Promise<Answer | Response>;

/** A handler that never fails and that can be made to let go. */
export interface SteadyHandler {
  answer(
    request: Request,
    client: Client | undefined,
    /** Has a function called when the answer has left, or never will. */
    whenLeft?: (call: () => void) => void,
    /** Is told that the answer lasts until its client leaves. */
    setApart?: () => void,
  ): Promise<Response>;
  /** Ends the answers that last until their clients leave, those to come as well. */
  endLasting(): void;
  /** Answers 503 to every request that still waits for its handler. */
  giveUp(): void;
}

/**
 * Makes a handler steady: the promise of an answer never rejects. Errors that the handler throws are logged
 * and answered as a fault without a word of them (500); a request whose target and `Host` make no URL does
 * not reach it (400).
 *
 * @param answers Counts large answers.
 * @param responseClass Makes the responses; by default the runtime's own class.
 * @param idOf Names a request, in answers of status 500 and above.
 */
export function steady(
  handler: Handler,
  log?: Environment["log"],
  answers: Answers = new Answers(),
  responseClass: ResponseClass = Response,
  idOf?: (request: Request) => string,
): SteadyHandler {
  const waiting = new Set<() => void>();
  const lasting = new Set<() => void>();
  let isEnding = false;
  const report = neverThrowing(log);
  const toResponse = (answer: Answer | Response) =>
    isResponse(answer) ? answer : respond(answer, report, responseClass);
  const fail = (error: unknown) => failedAnswer(error, report);
  const named = (answer: Answer | Response, request: Request) =>
    answer.status < 500 || idOf === undefined || isResponse(answer)
      ? answer
      : withHeaders(answer, { [REQUEST_ID_FIELD]: idOf(request) });

  async function ask(request: Request, client: Client | undefined): Promise<Answer | Response> {
    return hasUrl(request) ? await handler(request, client) : withoutUrlAnswer();
  }

  function watchLasting(
    end: () => void,
    whenLeft: (call: () => void) => void = () => {},
    setApart: () => void = () => {},
  ): void {
    setApart();
    if (isEnding) return end();
    lasting.add(end);
    whenLeft(() => lasting.delete(end));
  }

  return {
    answer(request, client, whenLeft, setApart) {
      return new Promise((resolve) => {
        const answerWith = (answer: Answer | Response) => resolve(toResponse(named(answer, request)));
        const giveUp = () => answerWith(errorAnswer(503, "Service Unavailable"));
        waiting.add(giveUp);
        ask(request, client).catch(fail).then((answer) => {
          if (waiting.delete(giveUp)) {
            const end = isResponse(answer) || answer.body instanceof Uint8Array
              ? undefined
              : answer.body?.end;
            if (end !== undefined) watchLasting(end, whenLeft, setApart);
            answerWith(answers.send(answer, request, whenLeft));
          } else answers.discard(answer, request);
        }).catch((error) => answerWith(fail(error)));
      });
    },
    endLasting() {
      isEnding = true;
      for (const end of lasting) end();
      lasting.clear();
    },
    giveUp() {
      for (const giveUp of waiting) giveUp();
      waiting.clear();
    },
  };
}

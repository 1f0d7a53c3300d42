/** A layer between a server and the API that responds to every request, even if the API fails. */
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

/**
 * Header field with the id of a request, in requests through a proxy and in responses with a status of 500 or
 * above.
 */
export const REQUEST_ID_FIELD = "x-request-id";

/**
 * Responds to a request. An `Answer` is preferred, because the memory of a `Response` is unknown. `client` is
 * the other end of the connection; `undefined` when the connection has already closed.
 */
export type Handler = (
  request: Request,
  client?: Client,
) => Answer | Response | Promise<Answer | Response>;

/** A handler that never fails, and that can end responses early. */
export interface SteadyHandler {
  answer(
    request: Request,
    client: Client | undefined,
    /** Takes a function, and calls this function when the response has been sent or can no longer be sent. */
    whenLeft?: (call: () => void) => void,
    /** Called for a response that lasts until its client leaves. */
    setApart?: () => void,
  ): Promise<Response>;
  /** Ends all responses that last until their clients leave. From then on, ends such responses at once. */
  endLasting(): void;
  /** Responds with 503 to every request without a response. */
  giveUp(): void;
}

/**
 * Wraps a handler so that the promise of a response never rejects. An error of the handler is logged, and the
 * response has the status 500 without the text of the error. If the target and the `Host` field of a request
 * do not form a URL, the response has the status 400, and the handler is not called.
 *
 * @param answers Limits the memory of large responses.
 * @param responseClass Class of the responses; the `Response` of the runtime by default.
 * @param idOf Returns the id of a request, which is added to responses with a status of 500 or above.
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

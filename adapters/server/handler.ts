/** A handler between a server and the API, which answers every request, whatever the API does. */
import type { Answer, Client, Environment } from "../../mod.ts";
import { type ResponseBody, toResponse } from "../../src/http/answer.ts";
import { errorAnswer } from "../../src/http/respond.ts";
import { Answers, isResponse } from "./answers.ts";

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
  ): Promise<Response>;
  /** Answers 503 to every request that still waits for its handler. */
  giveUp(): void;
}

/** A class of responses that a server sends quickly. */
export type ResponseClass = new (body: ResponseBody, init: ResponseInit) => Response;

/**
 * Makes a handler steady. Errors that it throws are logged and answered as a fault without a word of them
 * (500); a request whose target and `Host` make no URL does not reach it (400).
 *
 * @param answers Counts large answers.
 * @param responseClass Makes the responses; by default the runtime's own class.
 */
export function steady(
  handler: Handler,
  log: Environment["log"] = () => {},
  answers: Answers = new Answers(),
  responseClass: ResponseClass = Response,
): SteadyHandler {
  const waiting = new Set<() => void>();

  async function ask(request: Request, client: Client | undefined): Promise<Answer | Response> {
    if (!URL.canParse(request.url)) return errorAnswer(400, "Bad Request");
    try {
      return await handler(request, client);
    } catch (error) {
      log("error", "Request failed", error);
      return errorAnswer(500, "Internal Server Error");
    }
  }

  function respond(answer: Answer | Response): Response {
    return isResponse(answer) ? answer : toResponse(answer, responseClass);
  }

  return {
    answer(request, client, whenLeft) {
      return new Promise((resolve) => {
        const giveUp = () => resolve(respond(errorAnswer(503, "Service Unavailable")));
        waiting.add(giveUp);
        void ask(request, client).then((answer) => {
          if (waiting.delete(giveUp)) resolve(respond(answers.send(answer, request, whenLeft)));
          else answers.discard(answer, request);
        });
      });
    },
    giveUp() {
      for (const giveUp of waiting) giveUp();
      waiting.clear();
    },
  };
}

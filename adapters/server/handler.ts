/** Between a runtime's server and a handler: whatever comes in and whatever the handler does, an orderly answer goes out. */
import type { Answer, Client, Environment } from "../../mod.ts";
import { Answers } from "./answers.ts";
import { refuse } from "./refuse.ts";

/**
 * Answers a request, best with an `Answer`, which tells what memory it holds. `client` is the other end of the connection; unknown when it has closed already.
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

/**
 * Makes a handler steady. What it throws is logged and answered as a fault without a word of it (500); a request whose target and
 * `Host` make no URL does not reach it (400). Large answers are counted among `answers`.
 */
export function steady(
  handler: Handler,
  log: Environment["log"] = () => {},
  answers: Answers = new Answers(),
): SteadyHandler {
  const waiting = new Set<() => void>();

  async function ask(request: Request, client: Client | undefined): Promise<Answer | Response> {
    if (!URL.canParse(request.url)) return refuse(400, "Bad Request");
    try {
      return await handler(request, client);
    } catch (error) {
      log("error", "Request failed", error);
      return refuse(500, "Internal Server Error");
    }
  }

  return {
    answer(request, client, whenLeft) {
      return new Promise((resolve) => {
        const giveUp = () => resolve(refuse(503, "Service Unavailable"));
        waiting.add(giveUp);
        void ask(request, client).then((answer) => {
          if (waiting.delete(giveUp)) resolve(answers.send(answer, request, whenLeft));
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

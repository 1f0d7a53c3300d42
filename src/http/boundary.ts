/**
 * The boundary between a server and the code that answers: whatever a request does, it gets an answer, and
 * nothing is thrown at the server.
 */
import type { Environment } from "../ports/environment.ts";
import { type Answer, type ResponseBody, toResponse } from "./answer.ts";
import { errorAnswer } from "./respond.ts";

/** A class of responses: the runtime's own, or one that a server sends quickly. */
export type ResponseClass = new (body: ResponseBody, init: ResponseInit) => Response;

/**
 * Whether a request has a URL. Servers on `node:http` put the target and `Host` together when the URL is
 * asked for, and throw when these make none: `GET /{` with `Host: x:99999`.
 */
export function hasUrl(request: Request): boolean {
  try {
    return URL.canParse(request.url);
  } catch {
    return false;
  }
}

/** The answer to a request without a URL (RFC 9112, 3.2). */
export function withoutUrlAnswer(): Answer {
  return errorAnswer(400, "Bad Request");
}

/**
 * The answer to a request whose handler has failed: the error is logged, and the client learns nothing of it.
 */
export function failedAnswer(error: unknown, log: Environment["log"]): Answer {
  log("error", "Request failed", error);
  return errorAnswer(500, "Internal Server Error");
}

/** As {@link toResponse}, but an answer of which no response can be made is a failure. Never throws. */
export function respond(
  answer: Answer,
  log: Environment["log"],
  make: ResponseClass = Response,
): Response {
  try {
    return toResponse(answer, make);
  } catch (error) {
    return toResponse(failedAnswer(error, log), make);
  }
}

/** A log that never throws: an error of the log must not become one of the request. */
export function steadyLog(log: Environment["log"] = () => {}): Environment["log"] {
  return (level, message, cause) => {
    try {
      log(level, message, cause);
    } catch {
      // There is nowhere to tell it.
    }
  };
}

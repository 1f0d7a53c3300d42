/** Errors (7): their form, and a description of each code. */
import * as v from "valibot";
import { type ErrorCode, statusOf } from "../../src/http/errors.ts";

const Status = v.pipe(v.number(), v.integer(), v.description("The status of the answer."));
const Message = v.pipe(v.string(), v.description("Text for people; it may change."));

export const Failure = v.object({ error: Message, code: Status });

/** An error in the path or the query. */
export const ParameterFailure = v.object({ success: v.literal(false), error: Message, code: Status });

/** An error code: its status, when it occurs, and a real message. */
export interface DescribedError {
  readonly status: number;
  readonly description: string;
  readonly message: string;
}

/** Meanings of codes, and a real message for each. */
const MEANINGS: Readonly<Record<ErrorCode, readonly [description: string, message: string]>> = {
  badRequest: [
    "A header field or the body cannot be read, or a signature is wrong.",
    "`Authorization` header is missing",
  ],
  badParameter: [
    "The path or the query cannot be read.",
    'Cannot read repository id "nope": expected rad:z…',
  ],
  unauthorized: [
    "No session, no key, a wrong sign-in, or a request for the configuration that is not from the owner.",
    "Unauthorized",
  ],
  forbidden: [
    "The session or the node may not do that, or the storage is read-only.",
    'Not allowed to do "label"',
  ],
  notFound: [
    "No such repository, object, path or session; damaged data; private data, except for the owner.",
    "Repository rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp was not found",
  ],
  methodNotAllowed: [
    "The path does not support the method; `Allow` lists the methods of the path.",
    "Method Not Allowed",
  ],
  conflict: ["The change does not fit the present state.", "The description of an issue cannot be redacted"],
  payloadTooLarge: ["Too large, in the request or in the repository.", "File is larger than 4194304 bytes"],
  unsupportedMediaType: [
    "The body is not declared as JSON.",
    "Expected request with `Content-Type: application/json`",
  ],
  rangeNotSatisfiable: [
    "The file has none of the bytes of `Range`; `Content-Range` has its size.",
    "File has 1024 bytes",
  ],
  unprocessable: ["The body is JSON, but does not fit the request.", 'Request body lacks the member "title"'],
  overShare: [
    "The client has used up its share of expensive requests. `Retry-After` has the seconds to wait.",
    "Too Many Requests",
  ],
  fault: ["A fault of the service.", "Internal Server Error"],
  unsupported: ["This host does not support the request.", "This host cannot compare these files"],
  unavailable: [
    "Not possible now. `Retry-After` has the seconds until a retry, if they are known.",
    "This takes too long",
  ],
};

export const ERRORS = Object.fromEntries(
  Object.entries(MEANINGS).map(([code, [description, message]]) => {
    return [code, { status: statusOf(code as ErrorCode), description, message }];
  }),
) as Readonly<Record<ErrorCode, DescribedError>>;

/** Errors that every route may answer. */
export const EVERYWHERE: readonly ErrorCode[] = ["fault", "unavailable"];
/** Errors of routes with expensive answers. */
export const OF_EXPENSIVE: readonly ErrorCode[] = ["overShare"];

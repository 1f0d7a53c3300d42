/** Errors (7): their form, and a description of each code. */
import * as v from "valibot";
import { type ErrorCode, statusOf } from "../errors.ts";

/** Code of an error answer: a code of handlers, a fault, or a part that the host lacks. */
export type AnswerCode = ErrorCode | "fault" | "unsupported";

const Status = v.pipe(v.number(), v.integer(), v.description("The status of the answer."));
const Message = v.pipe(v.string(), v.description("Text for people; it may change."));

/** An error. */
export const Failure = v.object({ error: Message, code: Status });

/** An error in the path or the query. */
export const ParameterFailure = v.object({ success: v.literal(false), error: Message, code: Status });

/** An error code: its status, when it occurs, and a real message. */
export interface DescribedError {
  readonly status: number;
  readonly description: string;
  readonly message: string;
}

/** All error codes. */
export const ERRORS: Readonly<Record<AnswerCode, DescribedError>> = {
  badRequest: {
    status: statusOf("badRequest"),
    description: "A header field or the body cannot be read, or a signature is wrong.",
    message: "`Authorization` header is missing",
  },
  badParameter: {
    status: statusOf("badParameter"),
    description: "The path or the query cannot be read.",
    message: 'Cannot read repository id "nope": expected rad:z…',
  },
  unauthorized: {
    status: statusOf("unauthorized"),
    description: "No session, no key, a wrong sign-in, or a stranger who asks for the configuration.",
    message: "Unauthorized",
  },
  forbidden: {
    status: statusOf("forbidden"),
    description: "The session or the node may not do that, or the storage is only read.",
    message: 'Not allowed to do "label"',
  },
  notFound: {
    status: statusOf("notFound"),
    description:
      "No such repository, object, path or session; also damaged data, and private data for strangers.",
    message: "Repository rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp was not found",
  },
  methodNotAllowed: {
    status: statusOf("methodNotAllowed"),
    description: "The path does not take the method; `Allow` has the methods that it takes.",
    message: "Method Not Allowed",
  },
  conflict: {
    status: statusOf("conflict"),
    description: "The change cannot be made as things are.",
    message: "The description of an issue cannot be redacted",
  },
  payloadTooLarge: {
    status: statusOf("payloadTooLarge"),
    description: "Too large, in the request or in the repository.",
    message: "File is larger than 4194304 bytes",
  },
  unsupportedMediaType: {
    status: statusOf("unsupportedMediaType"),
    description: "The body is not declared as JSON.",
    message: "Expected request with `Content-Type: application/json`",
  },
  rangeNotSatisfiable: {
    status: statusOf("rangeNotSatisfiable"),
    description: "The file has none of the bytes of `Range`; `Content-Range` has its size.",
    message: "File has 1024 bytes",
  },
  unprocessable: {
    status: statusOf("unprocessable"),
    description: "The body is JSON, but does not fit the request.",
    message: 'Request body lacks the member "title"',
  },
  fault: { status: 500, description: "A fault of the service.", message: "Internal Server Error" },
  unsupported: {
    status: 501,
    description: "The host lacks a part.",
    message: "This host cannot compare these files",
  },
  unavailable: {
    status: statusOf("unavailable"),
    description: "Not now; `Retry-After` says when, where the service knows it.",
    message: "This takes too long",
  },
};

/** Errors that every route may answer. */
export const EVERYWHERE: readonly AnswerCode[] = ["fault", "unavailable"];

/** Errors of routes that read a repository. */
export const OF_READS = ["badParameter", "notFound", "payloadTooLarge"] as const;
/** Errors of routes that compare trees. */
export const OF_DIFFS = [...OF_READS, "unsupported"] as const;
/** Errors of bodies. */
export const OF_BODIES = ["badRequest", "payloadTooLarge", "unsupportedMediaType", "unprocessable"] as const;
/** Errors of routes that change a repository. */
export const OF_CHANGES = [
  "badParameter",
  ...OF_BODIES,
  "unauthorized",
  "forbidden",
  "notFound",
  "conflict",
] as const;

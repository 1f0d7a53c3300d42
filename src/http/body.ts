/**
 * Reads request bodies. A body is JSON of limited size, which is parsed strictly and checked with valibot.
 * The order of the checks is the order of `radicle-httpd`: media type (415), size (413), syntax (400), schema
 * (422).
 *
 * The JSON (RFC 8259) must follow I-JSON (RFC 7493), so that every accepted text has exactly one meaning.
 * `JSON.parse` would use the last of duplicate members and accept lone surrogates.
 */
import * as v from "valibot";
import { InvalidError, MalformedError } from "../errors.ts";
import { HttpError } from "./errors.ts";
import {
  type BodyBudget,
  bodyTooLarge,
  budgetOfProcess,
  checkDeclaredLength,
  receiveBody,
} from "./receive_body.ts";
import { type Steps, Task } from "../scheduling/task.ts";
import { JsonSyntaxError } from "../text/json_index.ts";
import { type JsonBuilder, readJsonInSteps } from "../text/json_reader.ts";
import { byteStream } from "../bytes/byte_stream.ts";
import { joinBytes } from "../bytes/bytes.ts";

/**
 * Maximum size of a request body below `/api/v1/projects` and `/api/v1/repos` (specification, 8), in bytes.
 */
export const MAX_PROJECT_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum size of a request body on other routes, in bytes. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Matches `application/json` or `application/<subtype>+json`, with or without parameters. A `charset` is
 * ignored, because JSON is always UTF-8 (RFC 8259, 8.1).
 */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;.*)?$/i;

/** Maximum length of the path to an invalid member in an error message, in characters. */
const MAX_SHOWN_PATH = 100;

/**
 * Reads the body of a request as a JSON object, and checks the object against a schema.
 *
 * @param limitBytes Maximum size of the body, in bytes.
 * @throws {HttpError} `unsupportedMediaType` when the content type is not JSON.
 * @throws {TooLargeError} when `Content-Length` or the body itself exceeds `limitBytes`.
 * @throws {UnavailableError} when newer bodies have used up the memory, so that this body was dropped.
 * @throws {MalformedError} when the body is incomplete, not UTF-8 or not JSON (see {@link parseStrictJson}).
 * @throws {InvalidError} when the value is not an object, has a duplicate member, or does not match the
 * schema.
 */
export async function readJson<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
  limitBytes: number,
  task: Task,
  budget: BodyBudget = budgetOfProcess,
): Promise<v.InferOutput<Schema>> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new HttpError("unsupportedMediaType", "Expected request with `Content-Type: application/json`");
  }
  const value = await task.run(parseStrictJson(await readText(request, limitBytes, budget)));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidError("Request body must be a JSON object");
  }
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (!parsed.success) throw new InvalidError(describe(parsed.issues[0]));
  return parsed.output;
}

async function readText(request: Request, limitBytes: number, budget: BodyBudget): Promise<string> {
  checkDeclaredLength(request, limitBytes);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  await receiveBody(request.body, limitBytes, budget, (chunk) => text += decode(decoder, chunk));
  return text + decode(decoder);
}

function decode(decoder: TextDecoder, chunk?: Uint8Array<ArrayBuffer>): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new MalformedError("Request body is not UTF-8 text");
  }
}

function describe(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)?.slice(0, MAX_SHOWN_PATH);
  if (path === undefined) return "Request body does not fit the request";
  if (issue.input === undefined) return `Request body lacks the member "${path}"`;
  const expected = wordsFor(issue);
  return `Request body has an unusable member "${path}"${
    expected === undefined ? "" : `: expected ${expected}`
  }`;
}

/** JSON names of the types of valibot. */
const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  Array: "an array",
  Object: "an object",
  never: "no such member",
};

/** Start of the error messages that the project's schemas contain. */
const OWN_MESSAGE = "Expected ";

/** Describes the values that a schema accepts; `undefined` when {@link TYPES} lacks a type of the schema. */
function wordsFor({ expected, message }: v.BaseIssue<unknown>): string | undefined {
  if (message.startsWith(OWN_MESSAGE)) return message.slice(OWN_MESSAGE.length);
  const parts = expected?.match(/"[^"]*"|[^\s|()]+/g)?.map((part) => {
    const bound = /^([<>])=(\d+)$/.exec(part);
    if (bound !== null) return `${bound[1] === ">" ? "at least" : "at most"} ${bound[2]}`;
    return part.startsWith('"') ? part : TYPES[part];
  });
  if (parts === undefined || parts.includes(undefined)) return undefined;
  return [parts.slice(0, -1).join(", "), parts.at(-1)].filter(Boolean).join(" or ");
}

/** Maximum nesting depth of arrays and objects. The bodies of the API need four levels. */
export const MAX_JSON_DEPTH = 128;
/**
 * Maximum number of values in one text, including nested values. A small value takes far more memory than its
 * text.
 */
export const MAX_JSON_VALUES = 100_000;

/** Maximum length of a member name in an error message, in characters. */
const MAX_SHOWN_NAME = 64;

/**
 * Parses a JSON text in steps. The objects of the result have no prototype, so that a missing member is
 * `undefined` even if it has the name of a method, such as `toString`.
 *
 * @throws {MalformedError} for a syntax error, text after the value, a lone surrogate, a number out of range,
 * and more than {@link MAX_JSON_DEPTH} levels or {@link MAX_JSON_VALUES} values.
 * @throws {InvalidError} for duplicate members of an object.
 */
export function* parseStrictJson(text: string): Steps<unknown> {
  const builder = new StrictBuilder();
  const value = yield* read(text, builder);
  // Duplicates are reported after syntax errors, because a text that is not JSON must be a `badRequest`.
  if (builder.twice === undefined) return value;
  const name = builder.twice.slice(0, MAX_SHOWN_NAME);
  throw new InvalidError(`Request body has the member "${name}" twice in one object`);
}

class StrictBuilder implements JsonBuilder<unknown> {
  /** Name of the first duplicate member. */
  twice: string | undefined;

  literal(value: boolean | null): boolean | null {
    return value;
  }

  number(digits: string): number {
    return Number(digits);
  }

  string(text: string): string {
    return text;
  }

  array(items: unknown[]): readonly unknown[] {
    return items;
  }

  object(members: [string, unknown][]): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, value] of members) {
      if (name in object) this.twice ??= name;
      object[name] = value;
    }
    return object;
  }
}

function* read(text: string, builder: StrictBuilder): Steps<unknown> {
  try {
    return yield* readJsonInSteps(text, builder, { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_JSON_VALUES });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new MalformedError(`Cannot read the request body as JSON: ${error.message}`);
  }
}

/**
 * Number of compressed bytes that are decompressed at once, which result in at most 129 KiB. Some runtimes
 * decompress a whole chunk at once, in this thread.
 */
const PACKED_PIECE_BYTES = 128;

/** The task in which all bodies are decompressed, so that many bodies together get the time of one task. */
const task = new Task("user-blocking");

const GZIP = new Set(["gzip", "x-gzip"]);
const PLAIN = new Set(["", "identity"]);

/**
 * Reads and decompresses the body of a request.
 *
 * @param limitBytes Maximum size of the body, both compressed and decompressed, in bytes.
 * @throws {HttpError} `unsupportedMediaType` for a content coding other than gzip.
 * @throws {TooLargeError} when the body exceeds `limitBytes`, compressed or decompressed.
 * @throws {UnavailableError} when newer bodies have used up the memory, so that this body was dropped.
 * @throws {MalformedError} when the body is incomplete or not gzip.
 */
export async function readBytes(
  request: Request,
  limitBytes: number,
  budget: BodyBudget = budgetOfProcess,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!GZIP.has(coding) && !PLAIN.has(coding)) {
    throw new HttpError("unsupportedMediaType", `Content coding "${coding}" is not supported: expected gzip`);
  }
  checkDeclaredLength(request, limitBytes);
  if (request.body === null) return new Uint8Array(0);
  const body = GZIP.has(coding)
    ? inPieces(request.body, limitBytes).pipeThrough(new DecompressionStream("gzip"))
    : request.body;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await receiveBody(body, limitBytes, budget, (chunk) => void chunks.push(chunk));
  return joinBytes(chunks);
}

/**
 * Splits a stream into short pieces, and fails after `limitBytes` bytes. Each piece waits until the previous
 * piece is decompressed.
 */
function inPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limitBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let rest: Uint8Array<ArrayBuffer> | undefined = new Uint8Array(0);
  let size = 0;
  const next = async () => {
    while (rest?.length === 0) {
      rest = (await reader.read()).value;
      size += rest?.length ?? 0;
      if (size > limitBytes) throw bodyTooLarge(limitBytes);
    }
    await task.yield();
    const piece = rest?.subarray(0, PACKED_PIECE_BYTES);
    rest = rest?.subarray(PACKED_PIECE_BYTES);
    return piece;
  };
  return byteStream(next, { cancel: (reason) => reader.cancel(reason) });
}

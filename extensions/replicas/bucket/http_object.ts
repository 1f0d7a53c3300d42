/** Reads objects over HTTP: makes the requests, and checks the responses. */
import type { Bucket, BucketCallOptions, BucketGetOptions, BucketHead, BucketObject } from "./bucket.ts";
import { brokenAnswer, type CallAnswer, type CallRequest, type HttpCalls, lengthOf } from "./http_calls.ts";
import { checkBucketKey, checkGet, checkSize, GET_LIMIT_BYTES, rangeError } from "./key.ts";

/** Statuses that the response to a read may have. */
const GET_STATUSES = [200, 206, 304, 404, 416] as const;

/**
 * Age in milliseconds below which the tag of a public object is ignored. Web servers compute tags from the
 * length and from the mtime in whole seconds. So two objects that were stored in the same second may have the
 * same tag (RFC 9110, 8.8.2.2).
 */
const YOUNG_MS = 2_000;

/** Makes the request for reading an object or its metadata. */
type RequestObject = (
  method: "GET" | "HEAD",
  key: string,
  headers: Record<string, string>,
) => CallRequest | Promise<CallRequest>;

/**
 * Returns the methods that read objects of a bucket over HTTP.
 *
 * @param isStrict Whether each response must have a tag and a time.
 */
export function createHttpReads(
  calls: HttpCalls,
  request: RequestObject,
  isStrict: boolean,
): Pick<Bucket, "get" | "head"> {
  return {
    async get(key: string, options: BucketGetOptions = {}) {
      checkGet(key, options);
      return await calls.call({
        what: `read "${key}"`,
        isRepeatable: true,
        request: () => request("GET", key, getHeaders(options)),
        statuses: GET_STATUSES,
        read: (answer) => readObject(key, options, answer, isStrict),
        signal: options.signal,
      });
    },
    async head(key: string, { signal }: BucketCallOptions = {}) {
      checkBucketKey(key);
      return await calls.call({
        what: `read the header of "${key}"`,
        isRepeatable: true,
        request: () => request("HEAD", key, {}),
        statuses: [200, 404],
        read: (answer) => readHeadAnswer(key, answer, isStrict),
        signal,
      });
    },
  };
}

function getHeaders({ range, ifNoneMatch }: BucketGetOptions): Record<string, string> {
  return {
    ...range && { range: `bytes=${range.start}-${range.end - 1}` },
    ...ifNoneMatch && { "if-none-match": ifNoneMatch },
  };
}

/**
 * Reads the response to a GET request. The response to a request with a range must have status 206 and
 * exactly the requested `Content-Range` (RFC 9110, 14.4).
 */
async function readObject(
  key: string,
  options: BucketGetOptions,
  answer: CallAnswer,
  isStrict: boolean,
): Promise<BucketObject | "unchanged" | undefined> {
  const { range, ifNoneMatch, limitBytes = GET_LIMIT_BYTES } = options;
  const what = `read "${key}"`;
  const { status, headers } = answer;
  if (status === 404) return undefined;
  if (status === 304) {
    if (!ifNoneMatch) throw brokenAnswer(what, "the server answers 304 to a plain read");
    return "unchanged";
  }
  if (status === 416) {
    if (range === undefined) throw brokenAnswer(what, "the server answers 416 to a plain read");
    throw rangeError(key, range);
  }
  if (range === undefined) {
    if (status !== 200) throw brokenAnswer(what, `the server answers ${status} to a plain read`);
    const length = lengthOf(headers);
    if (length !== undefined) checkSize(key, length, options);
    const bytes = await answer.body(limitBytes, length);
    return { ...readHead(what, headers, bytes.length, isStrict), bytes };
  }
  const size = sizeOfRange(what, answer);
  // The size must be checked, because a server shortens a range that extends past the end of the object.
  checkSize(key, size, options);
  const { start, end } = range;
  if (headers.get("content-range") !== `bytes ${start}-${end - 1}/${size}`) {
    throw brokenAnswer(what, "the server answers with another range");
  }
  const bytes = await answer.body(limitBytes, end - start);
  return { ...readHead(what, headers, size, isStrict), bytes };
}

function readHeadAnswer(
  key: string,
  { status, headers }: CallAnswer,
  isStrict: boolean,
): BucketHead | undefined {
  if (status === 404) return undefined;
  const what = `read the header of "${key}"`;
  const size = lengthOf(headers);
  if (size === undefined) throw brokenAnswer(what, "the server names no length");
  return readHead(what, headers, size, isStrict);
}

function readHead(what: string, headers: Headers, size: number, isStrict: boolean): BucketHead {
  const etag = headers.get("etag") ?? "";
  const modifiedMs = Date.parse(headers.get("last-modified") ?? "");
  if (isStrict && (etag === "" || Number.isNaN(modifiedMs))) {
    throw brokenAnswer(what, "the server names no tag or no time");
  }
  const dateMs = Date.parse(headers.get("date") ?? "");
  const isYoung = !isStrict && dateMs - modifiedMs < YOUNG_MS;
  return { etag: isYoung ? "" : etag, size, modifiedMs: Number.isNaN(modifiedMs) ? 0 : modifiedMs };
}

/** Returns the length of the whole object, from the response to a request with a range. */
function sizeOfRange(what: string, { status, headers }: CallAnswer): number {
  const size = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1];
  if (status !== 206 || size === undefined) {
    throw brokenAnswer(what, "the server does not answer with a range");
  }
  return Number(size);
}

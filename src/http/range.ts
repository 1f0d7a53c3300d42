/** Byte ranges (RFC 9110, 14), with which media players load parts of a file. */
import { byteStream } from "../bytes/byte_stream.ts";
import { statusOf } from "./errors.ts";
import { type Answer, type AnswerBody, discardBody, withHeaders } from "./answer.ts";
import { errorAnswer } from "./respond.ts";

/**
 * Matches the unit and one range: first and last byte, or the number of bytes at the end (RFC 9110, 14.1.2).
 */
const ONE_RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

interface ByteRange {
  readonly start: number;
  /** Index of the byte after the last byte of the range. */
  readonly end: number;
}

/**
 * Returns the part of a complete response that `Range` requests. The status is 206, or 416 when the file has
 * no such bytes. As RFC 9110 permits, the complete response is returned for several ranges, other units,
 * invalid ranges, methods other than GET, and an `If-Range` that is not the strong tag of the response.
 */
export async function rangedAnswer<A extends Answer>(request: Request, answer: A): Promise<A | Answer> {
  if (answer.status !== 200) return answer;
  const whole = withHeaders(answer, { "accept-ranges": "bytes" });
  const { body } = whole;
  const size = body instanceof Uint8Array ? body.length : Number(whole.headers["content-length"]);
  const asked = request.method === "GET" ? request.headers.get("range") : null;
  const ifRange = request.headers.get("if-range");
  if (body === undefined || asked === null || ifRange !== null && ifRange !== whole.headers["etag"]) {
    return whole;
  }
  const range = parseRange(asked, size);
  if (range === undefined) return whole;
  const { start, end } = range;
  if (start >= end) {
    await discardBody(whole);
    return errorAnswer(statusOf("rangeNotSatisfiable"), `File has ${size} bytes`, {
      "content-range": `bytes */${size}`,
    });
  }
  return {
    status: 206,
    headers: {
      ...whole.headers,
      "content-range": `bytes ${start}-${end - 1}/${size}`,
      "content-length": String(end - start),
    },
    body: cut(body, range),
  };
}

/**
 * Parses a `Range` field. Returns an empty range when the file has no bytes in the requested range, and
 * `undefined` when the field must be ignored.
 */
function parseRange(field: string, size: number): ByteRange | undefined {
  const [all, first, last, atEnd] = ONE_RANGE.exec(field) ?? [];
  if (all === undefined || !Number.isSafeInteger(size)) return undefined;
  if (atEnd !== undefined) {
    // A range at the end of an empty file is satisfiable (RFC 9110, 14.1.2), but no `Content-Range` can
    // express it.
    return size === 0 && Number(atEnd) > 0
      ? undefined
      : { start: Math.max(size - Number(atEnd), 0), end: size };
  }
  const start = Number(first);
  const end = last ? Number(last) + 1 : Infinity;
  return start >= end ? undefined : { start, end: Math.min(end, size) };
}

/** Returns a range of a body. A stream is not read beyond the range. */
function cut(body: NonNullable<AnswerBody>, { start, end }: ByteRange): AnswerBody {
  if (body instanceof Uint8Array) return body.subarray(start, end);
  if (body.part !== undefined) return body.part(start, end);
  const reader = body.stream.getReader();
  let at = 0;
  const next = async () => {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return undefined;
      const part = value.subarray(Math.max(start - at, 0), Math.max(end - at, 0));
      at += value.length;
      if (at >= end) void reader.cancel().catch(() => {});
      if (part.length > 0) return part;
    }
  };
  return { ...body, stream: byteStream(next, { cancel: (reason) => reader.cancel(reason) }) };
}

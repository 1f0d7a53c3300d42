/** Answers of HTTP/1.1 as the client of a connection reads them (RFC 9112, 6.3). */

/** An answer. */
export interface HeardAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Whether all of it has come. */
  readonly isWhole: boolean;
}

/** Answers of a connection, and what follows them that is none. */
export interface HeardAnswers {
  readonly answers: readonly HeardAnswer[];
  readonly rest: string;
}

const START = /HTTP\/1\.[01] (\d{3})(?: [^\r\n]*)?\r\n/y;
const WITHOUT_BODY = [204, 304];

/**
 * Reads answers, apart from those that announce another one (1xx).
 *
 * @param headAt Number of the answer to a `HEAD` request, if there is one.
 */
export function readAnswers(text: string, headAt = -1): HeardAnswers {
  const answers: HeardAnswer[] = [];
  for (let at = 0; at < text.length;) {
    START.lastIndex = at;
    const status = Number(START.exec(text)?.[1] ?? NaN);
    const headEnd = text.indexOf("\r\n\r\n", at);
    if (Number.isNaN(status)) return { answers, rest: text.slice(at) };
    if (headEnd === -1) {
      answers.push({ status, head: text.slice(at), body: "", isWhole: false });
      break;
    }
    const [head, start] = [text.slice(at, headEnd), headEnd + 4];
    at = start;
    if (status < 200) continue;
    const length = /^content-length: *(\d+)\r?$/mi.exec(head)?.[1];
    if (answers.length === headAt || WITHOUT_BODY.includes(status)) {
      answers.push({ status, head, body: "", isWhole: true });
    } else if (/^transfer-encoding: *chunked\r?$/mi.test(head)) {
      const { body, end } = readChunks(text, start);
      answers.push({ status, head, body, isWhole: end !== undefined });
      at = end ?? text.length;
    } else {
      // Without a length, an answer ends with the connection, or has no body.
      const isEmpty = length === undefined && text.startsWith("HTTP/1.", start);
      at = isEmpty ? start : start + Number(length ?? Infinity);
      answers.push({
        status,
        head,
        body: text.slice(start, at),
        isWhole: length === undefined || at <= text.length,
      });
    }
  }
  return { answers, rest: "" };
}

/** The bytes of chunks, and where they end; `undefined` when they do not. */
function readChunks(
  text: string,
  start: number,
): { readonly body: string; readonly end: number | undefined } {
  let body = "";
  for (let at = start;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd === -1) return { body, end: undefined };
    const size = parseInt(text.slice(at, lineEnd), 16);
    if (size === 0) return { body, end: lineEnd + 4 };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || at > text.length) return { body, end: undefined };
  }
}

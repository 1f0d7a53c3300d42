/** Malformed requests: a server must refuse or answer them without harm to other clients. */

/** Random whole numbers from a fixed seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const METHODS = [
  "GET",
  "POST",
  "HEAD",
  "PUT",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PRI",
  "get",
  "",
  "G\0T",
  "GÉT",
  "A".repeat(70_000),
];
const TARGETS = [
  "/",
  "*",
  "",
  "/api/v1",
  "//",
  "/%",
  "/%ff%00",
  "/\u00ff",
  "/a b",
  "http://",
  "http://[::1",
  "http://user:pass@localhost/",
  "localhost:1",
  "/#",
  "/\\..\\",
  "/" + "a".repeat(20_000),
  "/?" + "&a".repeat(5_000),
];
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/9.9",
  "HTTP/1.1 ",
  "http/1.1",
  "HTTP/",
  "",
  "FTP/1.1",
];
const FIELDS = [
  "Host: localhost",
  "Host: localhost",
  "Host: a\r\nHost: b",
  "Host:",
  "Host: user@localhost",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: +5",
  "Content-Length: 5, 5",
  "Content-Length: 5\r\nContent-Length: 6",
  "Content-Length: 99999999999999999999",
  "Content-Length: 0x5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\x0bchunked",
  "Connection: close",
  "Connection: keep-alive, upgrade\r\nUpgrade: websocket",
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
  "Expect: 100-continue",
  "Expect: something",
  "Content-Type: application/json",
  "Origin: null",
  "X-Folded: a\r\n b",
  "No colon here",
  ": no name",
  "X-Nul: a\0b",
  "X-High: \u00ff\u0080",
  "X-Bare: a\rb",
  "X-Long: " + "a".repeat(20_000),
  "Cookie: " + "a=b; ".repeat(100),
  "__proto__: a",
  "constructor: a",
];
const BODIES = [
  "",
  "hello",
  '{"a":1}',
  "5\r\nhello\r\n0\r\n\r\n",
  '5;extension="\0"\r\nhello\r\n0\r\n\r\n',
  "ffffffffffffffff\r\nhello",
  "-1\r\nhello\r\n",
  "5\nhello\n0\n\n",
  "0\r\nTrailer: a\r\n\r\n",
  "0\r\n" + "T: a\r\n".repeat(1_000) + "\r\n",
  "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
];
const LINE_ENDS = ["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n"];

/** Bytes that may look like a request, as Latin-1 text. */
export function malformedRequest(random: (below: number) => number): string {
  const one = <T>(of: readonly T[]): T => of[random(of.length)]!;
  const end = one(LINE_ENDS);
  const fields = Array.from({ length: random(6) }, () => one(FIELDS));
  const text = [`${one(METHODS)} ${one(TARGETS)} ${one(VERSIONS)}`, ...fields, "", one(BODIES)].join(end);
  switch (random(4)) {
    case 0:
      return text.slice(0, random(text.length + 1));
    case 1: {
      const at = random(text.length + 1);
      return text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1);
    }
    default:
      return text;
  }
}

/**
 * Requests with a hidden second request: two programs in a row parse them differently (RFC 9112, 11.2). The
 * hidden one is for `/smuggled`.
 */
export const SMUGGLED: readonly string[] = [
  ["Content-Length: 5", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Transfer-Encoding: xchunked", "Content-Length: 5"],
  ["Transfer-Encoding: chunked, identity", "Content-Length: 5"],
  ["Transfer-Encoding: identity", "Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Transfer-Encoding : chunked", "Content-Length: 5"],
  ["Transfer-Encoding:\x0bchunked", "Content-Length: 5"],
  ["Content-Length: 5", "Content-Length: 0"],
  ["Content-Length: 0", "Content-Length: 50"],
  ["Content-Length: 5, 0"],
  ["Content-Length: +5"],
  ["Content-Length : 5"],
  ["X: a\rContent-Length: 5"],
].map((fields) =>
  [
    "POST / HTTP/1.1",
    "Host: localhost",
    ...fields,
    "",
    "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
  ].join("\r\n")
);

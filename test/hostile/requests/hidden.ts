/**
 * Requests that hide a second one in what is, or may be, a body: programs in a row that read them differently
 * take it for a request of somebody (RFC 9112, 11.2).
 */

/** Fields under which the hidden request belongs to a body, or the whole cannot be understood. */
const FIELDS: readonly (readonly string[])[] = [
  ["Content-Length: 5", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Transfer-Encoding: xchunked", "Content-Length: 5"],
  ["Transfer-Encoding: chunked, identity", "Content-Length: 5"],
  ["Transfer-Encoding: identity", "Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Transfer-Encoding : chunked", "Content-Length: 5"],
  ["Transfer-Encoding:\x0bchunked", "Content-Length: 5"],
  ["Transfer-Encoding: chunked\x0b", "Content-Length: 5"],
  ["Transfer-Encoding: \x00chunked", "Content-Length: 5"],
  ["Transfer-Encoding\x00: chunked", "Content-Length: 5"],
  ["X: a\r\n Transfer-Encoding: chunked", "Content-Length: 5\r\n 0"],
  ["Content-Length: 5", "Content-Length: 0"],
  ["Content-Length: 0", "Content-Length: 50"],
  ["Content-Length: 5, 0"],
  ["Content-Length: +5"],
  ["Content-Length: 0x5"],
  ["Content-Length: 5 0"],
  ["Content-Length: 5\x00"],
  ["Content-Length: -1"],
  ["Content-Length : 5"],
  ["X: a\rContent-Length: 5"],
];

/**
 * All of them.
 *
 * @param path Of the hidden request, which must never be answered.
 */
export function hidingRequests(path: string): readonly string[] {
  const hidden = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const head = ["POST / HTTP/1.1", "Host: localhost"];
  return [
    ...FIELDS.map((fields) => [...head, ...fields, "", `0\r\n\r\n${hidden}`].join("\r\n")),
    // Bodies that hold it as a whole.
    [...head, `Content-Length: ${hidden.length}`, "", hidden].join("\r\n"),
    [...head, "Content-Type: application/json", `Content-Length: ${hidden.length}`, "", hidden].join("\r\n"),
    [...head, "Expect: 100-continue", `Content-Length: ${hidden.length}`, "", hidden].join("\r\n"),
    [...head, "Transfer-Encoding: chunked", "", `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`]
      .join("\r\n"),
    [...head, "Transfer-Encoding: chunked", "", `5\r\nhelloX\r\n0\r\n\r\n${hidden}`].join("\r\n"),
    [...head, "Transfer-Encoding: chunked", "", `0x5\r\nhello\r\n0\r\n\r\n${hidden}`].join("\r\n"),
    [...head, "Transfer-Encoding: chunked", "", `${"f".repeat(17)}0\r\nhello\r\n0\r\n\r\n${hidden}`].join(
      "\r\n",
    ),
  ];
}

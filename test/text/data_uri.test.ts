/** Data URIs (RFC 2397). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base64 } from "@scure/base";
import { runSync } from "../../src/scheduling/task.ts";
import { MAX_DATA_HEAD_LENGTH, readDataUri } from "../../src/text/data_uri.ts";

const read = (uri: string) => {
  const bytes = runSync(readDataUri(uri));
  return bytes && new TextDecoder("latin1").decode(bytes);
};

describe("readDataUri", () => {
  const READ: Readonly<Record<string, string>> = {
    "data:,": "",
    "data:,A%20brief%20note": "A brief note",
    "data:text/plain,a,b;c=d&e/?:@[]": "a,b;c=d&e/?:@[]",
    "data:text/plain;charset=iso-8859-7,%b8%F7": "\u00b8\u00f7",
    "data:;charset=utf-8,x": "x",
    "data:text/plain;a=b;c=%22d%22,x": "x",
    "data:,aGVsbG8=": "aGVsbG8=",
    "data:;base64,": "",
    "data:;base64,aGVsbG8=": "hello",
    "data:text/plain;charset=utf-8;base64,aGVsbG8%3D": "hello",
    "data:image/svg+xml;base64,Pj4+Pz8/": ">>>???",
    "data:application/vnd.oasis.opendocument.text;base64,aGVsbG8=": "hello",
    "DATA:TEXT/PLAIN;BASE64,aGVsbG8=": "hello",
    "data:text/plain;base64=x,aGVsbG8=": "aGVsbG8=",
  };
  for (const [uri, text] of Object.entries(READ)) {
    it(`reads ${uri}`, () => assert.equal(read(uri), text));
  }

  const REFUSED: readonly string[] = [
    "",
    "data:",
    "data",
    "data,x",
    " data:,x",
    "data:text/plain;base64",
    "data:text,x",
    "data:/plain,x",
    "data:text/,x",
    "data:te xt/plain,x",
    "data:text/plain;,x",
    "data:text/plain;charset,x",
    "data:text/plain;=utf-8,x",
    "data:base64,aGVsbG8=",
    "data:;base64;charset=utf-8,aGVsbG8=",
    "data:text/plain; charset=utf-8,x",
    "data:,a b",
    "data:,a\n",
    'data:,"',
    "data:,<a>",
    "data:,a#b",
    "data:,\u00e9",
    "data:,%",
    "data:,%4",
    "data:,%4g",
    "data:,%+1",
    "data:;base64,aGVsbG8",
    "data:;base64,aGVs bG8=",
    "data:;base64,aGVs%20bG8=",
    "data:;base64,_-8=",
    "data:;base64,aGVsbG9=",
    "data:;base64,aGVsbG8=aGVsbG8=",
    `data:;base64,${"A".repeat(65534)}==AAAA`,
    "data:;base64,%zz",
  ];
  for (const uri of REFUSED) {
    it(`refuses ${JSON.stringify(uri)}`, () => assert.equal(read(uri), undefined));
  }

  it("reads every byte in percent-encoding", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const text = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    assert.deepEqual(runSync(readDataUri(`data:,${text}`)), bytes);
  });

  it("reads texts of several steps as one", () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251);
    const text = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    assert.deepEqual(runSync(readDataUri(`data:,${text}`)), bytes);
    assert.deepEqual(runSync(readDataUri(`data:;base64,${base64.encode(bytes)}`)), bytes);
    assert.deepEqual(
      runSync(readDataUri(`data:;base64,${base64.encode(bytes).replaceAll("A", "%41")}`)),
      bytes,
    );
  });

  it("reads heads of a bounded length", () => {
    const uri = (length: number) => `data:a/b;c=${"d".repeat(length - "data:a/b;c=".length)},x`;
    assert.equal(read(uri(MAX_DATA_HEAD_LENGTH)), "x");
    assert.equal(read(uri(MAX_DATA_HEAD_LENGTH + 1)), undefined);
  });
});

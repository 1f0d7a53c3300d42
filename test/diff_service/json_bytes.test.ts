import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { JsonBytes } from "../../src/diff_service/render/json_bytes.ts";

/** The JSON string that `writeString` makes of a text's UTF-8, from the byte `start` to the end. */
function written(text: string, start = 0): string {
  const bytes = new TextEncoder().encode(text);
  const json = new JsonBytes();
  json.write('"');
  json.writeString(bytes, start, bytes.length);
  json.write('"');
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json.toBytes());
}

describe("a string in JSON bytes", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("");
  const texts = {
    "with control characters": controls,
    "with quotation marks and backslashes": '"\\'.repeat(10),
    "with a byte-order mark and separators": "\ufeff\u2028\u2029",
    "with characters of several bytes": "aéℵ𝔄",
  };
  for (const [name, text] of Object.entries(texts)) {
    it(`${name} is as JSON.stringify writes it, short and long`, () => {
      for (const count of [1, 100, 2000, 50_000]) {
        assert.equal(written(text.repeat(count)), JSON.stringify(text.repeat(count)));
      }
    });
  }

  it("is cut between characters wherever it begins", () => {
    const text = "𝔄".repeat(40_000);
    for (let start = 0; start < 4; start++) {
      const shifted = "x".repeat(start) + text;
      assert.equal(written(shifted, start), JSON.stringify(text));
    }
  });
});

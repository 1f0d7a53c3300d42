/** Text that nobody can guess. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALPHANUMERIC, randomSessionId, randomText } from "../../src/session/random_text.ts";

describe("randomText", () => {
  it("has the length and the characters that are asked for", () => {
    assert.match(randomText(ALPHANUMERIC, 32), /^[A-Za-z0-9]{32}$/);
    assert.match(randomSessionId(), /^[A-Za-z0-9]{32}$/);
    assert.equal(randomText(ALPHANUMERIC, 0), "");
  });

  it("is another each time", () => {
    assert.equal(new Set(Array.from({ length: 1000 }, () => randomText(ALPHANUMERIC, 32))).size, 1000);
  });

  it("favours no character", () => {
    const counts = new Map<string, number>();
    const length = 62 * 1000;
    for (const character of randomText(ALPHANUMERIC, length)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 62);
    // 1000 of each on average, with a standard deviation of 31: taking bytes modulo 62 would give 1210 of the first eight.
    for (const [character, count] of counts) {
      assert.ok(count > 800 && count < 1190, `${count} of ${character}`);
    }
  });
});

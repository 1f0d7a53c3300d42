/** White space, compared with Unicode's property. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { trimWhiteSpace } from "../../src/text/white_space.ts";

describe("trimWhiteSpace", () => {
  it("takes away what has the property White_Space, and nothing else", () => {
    for (let code = 0; code < 0x10000; code++) {
      const character = String.fromCharCode(code);
      const expected = /\p{White_Space}/u.test(character) ? "a" : `${character}a${character}`;
      assert.equal(trimWhiteSpace(`${character}a${character}`), expected, code.toString(16));
    }
  });

  it("leaves what is within, and nothing of white space alone", () => {
    assert.equal(trimWhiteSpace("\u2028 a \u00a0 b\t\n"), "a \u00a0 b");
    assert.equal(trimWhiteSpace(" \t\u3000"), "");
    assert.equal(trimWhiteSpace(""), "");
  });
});

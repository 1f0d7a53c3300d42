/** How much there is to read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countLines, sumOf } from "./lines.ts";

/**
 * Most lines of code. Who takes the project over reads all of them, so that a feature has to be worth its lines. Lower
 * it to the number of `node test/lines.ts` whenever that is lower; to raise it takes a reason in the commit.
 */
const MAX_CODE = 51_188;
/** Least share of comments in the lines that are not blank: code is to get shorter, not its explanation. */
const MIN_COMMENT_SHARE = 0.204;
/** Most lines of a file, with the blank ones: what fits into one head at a time. */
const MAX_FILE = 521;

describe("the source", () => {
  const counted = countLines();
  const [code, comments] = [sumOf(counted, "code"), sumOf(counted, "comments")];

  it(`has at most ${MAX_CODE} lines of code`, () => {
    assert.ok(code <= MAX_CODE, `${code} lines`);
  });

  it("has no fewer comments for its code", () => {
    assert.ok(
      comments / (code + comments) >= MIN_COMMENT_SHARE,
      `${comments} comments, ${code} lines of code`,
    );
  });

  it(`has no file of more than ${MAX_FILE} lines`, () => {
    assert.deepEqual(counted.filter(({ all }) => all > MAX_FILE).map(({ file }) => file), []);
  });
});

/** Reactions: which emojis there are, sets of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import {
  Emoji,
  isFirstEmoji,
  react,
  reactionGroups,
  reactionPairs,
  type Reactions,
} from "../../../src/cob/issue/reaction.ts";
import { AUTHOR, DELEGATE, FRIEND } from "../ops.ts";

describe("Emoji", () => {
  for (
    const emoji of [
      "👍",
      "🚀",
      "✅",
      "❤",
      "🧠",
      "\u{2700}",
      "\u{27bf}",
      "\u{1f300}",
      "\u{1f64f}",
      "\u{1f9ff}",
    ]
  ) {
    it(`takes ${emoji}, known since 2024`, () => {
      assert.ok(v.is(Emoji, emoji));
      assert.ok(isFirstEmoji(emoji));
    });
  }
  for (const emoji of ["\u{1fa75}", "\u{1fac0}", "\u{1fae0}", "\u{1faf8}"]) {
    it(`takes ${emoji}, known since 2025`, () => {
      assert.ok(v.is(Emoji, emoji));
      assert.ok(!isFirstEmoji(emoji));
    });
  }
  for (const text of ["", "a", "❤️", "👍🏽", "👍👍", "🇨🇭", "👩‍💻", "\u{1fa78}", "\ud83d", 1, null]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.ok(!v.is(Emoji, text)));
  }
});

describe("react", () => {
  it("adds once, removes, and does nothing otherwise", () => {
    const one = react([], AUTHOR, "👍", true);
    assert.deepEqual(reactionPairs(one), [[AUTHOR, "👍"]]);
    assert.equal(react(one, AUTHOR, "👍", true), one);
    assert.equal(react(one, AUTHOR, "🚀", false), one);
    assert.deepEqual(react(one, AUTHOR, "👍", false), []);
    assert.equal(one.length, 1);
  });

  it("orders by key, then code point, in whatever order they come", () => {
    let reactions: Reactions = [];
    for (
      const [author, emoji] of [[FRIEND, "👍"], [DELEGATE, "🚀"], [AUTHOR, "❤"], [DELEGATE, "✅"], [
        DELEGATE,
        "👍",
      ]] as const
    ) {
      reactions = react(reactions, author, emoji, true);
    }
    assert.deepEqual(reactionPairs(reactions), [
      [DELEGATE, "✅"],
      [DELEGATE, "👍"],
      [DELEGATE, "🚀"],
      [AUTHOR, "❤"],
      [FRIEND, "👍"],
    ]);
    assert.deepEqual(reactionGroups(reactions), [
      { emoji: "✅", authors: [DELEGATE] },
      { emoji: "❤", authors: [AUTHOR] },
      { emoji: "👍", authors: [DELEGATE, FRIEND] },
      { emoji: "🚀", authors: [DELEGATE] },
    ]);
  });
});

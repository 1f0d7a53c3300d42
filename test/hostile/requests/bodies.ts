/** Hostile bodies: JSON, requests of git, and bytes that are neither. */
import { damaged, gzipped, utf8 } from "./draft.ts";
import type { Random } from "./random.ts";

const MEBIBYTE = 2 ** 20;

/** Embeds of a text with this content. */
const embeds = (content: string, count = 1): string =>
  `[${Array(count).fill(`{"name":"MARK50","content":"${content}"}`).join(",")}]`;

/** JSON values that stand in place of good ones. */
const VALUES: readonly string[] = [
  "null",
  "true",
  "-0",
  "1e999",
  "-1",
  "9007199254740993",
  '""',
  '"unknown"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\x"',
  '"\ud7ff\xff"',
  '"\xff\xfe"',
  utf8('"é\u{1f600}\u202e"'),
  `"${"a".repeat(5000)}"`,
  `"${"\\u0000".repeat(1000)}"`,
  "[]",
  "{}",
  '["a","a"]',
  `[${'"a",'.repeat(1000)}"a"]`,
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  embeds("data:"),
  embeds(`data:;base64,${"AAAA".repeat(1000)}=`),
  embeds(`data:;base64,${"%3D".repeat(1000)}`),
  embeds(`data:text/plain,${"%41".repeat(1000)}%`),
  embeds(`data:${";a=b".repeat(1000)},x`),
  embeds(`data:${";base64".repeat(1000)},x`),
  embeds("data:,a", 1025),
  embeds(`git:${"0".repeat(5000)}`),
  "[".repeat(200),
  `${"[".repeat(50)}${"]".repeat(50)}`,
];

/** Bytes that are no good body of any route. */
const ODD: readonly string[] = [
  "hello",
  "\0",
  "\xef\xbb\xbf{}",
  "\x1f\x8b",
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
  "{",
  "[]",
  "null",
  '"a"',
  '{"a":1}',
  `${"[".repeat(100_000)}`,
  `${'{"a":'.repeat(20_000)}`,
  "0000",
  "0001",
  "0003",
  "0004",
  "ffff",
  "fffz",
  "-001",
  `${"0000".repeat(500)}`,
  `0032want ${"0".repeat(40)}\n00000009done\n`,
  "0014command=ls-refs\n00010000",
  "0012command=fetch\n0001000fdeepen-not\n0000",
];

/** Large bodies: rarely, since they take the time of whoever sends them. */
const LARGE: readonly (() => string)[] = [
  () => `{"title":"${"a".repeat(MEBIBYTE)}"}`,
  () => `[${"0,".repeat(MEBIBYTE / 4)}0]`,
  () => `{"a":${"[".repeat(MEBIBYTE)}`,
  () =>
    `{"title":"a","description":"","labels":[],"assignees":[],"embeds":${
      embeds(`data:,${"%41".repeat(MEBIBYTE)}%`)
    }}`,
  () => " ".repeat(3 * MEBIBYTE),
  () => gzipped(" ".repeat(16 * MEBIBYTE)),
  () => gzipped("0000".repeat(MEBIBYTE)),
  () => gzipped("0001".repeat(MEBIBYTE)),
  () => gzipped(gzipped("0".repeat(64 * MEBIBYTE))),
  () => "0032want ".repeat(50_000),
  () => `${`0032want ${"1".repeat(40)}\n`.repeat(20_000)}00000009done\n`,
];

/** One body in so many is large. */
const LARGE_ONE_IN = 60;

/** A body that no route wants. */
export function oddBody(random: Random): string {
  if (random.isOneIn(LARGE_ONE_IN)) return random.one(LARGE)();
  return random.one(ODD);
}

/** A good body with something changed. */
export function changedBody(body: string, random: Random): string {
  switch (random.below(5)) {
    case 0:
      return oddBody(random);
    case 1:
      return damaged(body, random);
    case 2:
      return body.replace(
        /^\{/,
        () => `{${random.one(['"a":1,', '"type":"MARK50",', '"__proto__":1,', ","])}`,
      );
    default:
      return withOtherValue(body, random);
  }
}

/** Replaces the value of a member, or the length of a line of git. */
function withOtherValue(body: string, random: Random): string {
  const places = [...body.matchAll(/:("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[\w.-]+)|^[\da-f]{4}|\n[\da-f]{4}/g)];
  if (places.length === 0) return oddBody(random);
  const { index, 0: found, 1: value } = random.one(places);
  const by = value === undefined
    ? found.replace(/[\da-f]{4}/, () => random.one(["0000", "0001", "0002", "0003", "0004", "ffff", "zzzz"]))
    : `:${random.one(VALUES)}`;
  return body.slice(0, index) + by + body.slice(index + found.length);
}

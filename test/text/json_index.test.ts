/** JSON texts read in steps: as JSON.parse reads them, in steps that are short, with nothing made that nobody asks for. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indexJson, JsonSyntaxError } from "../../src/text/json_index.ts";
import { type JsonBuilder, readJson } from "../../src/text/json_reader.ts";
import { runSync, type Steps } from "../../src/scheduling/task.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { firstLength } from "./first_length.ts";

const LIMITS = { maxDepth: 1000 };
/** Length of a string from which on it is read in several steps. */
const STEP_UNITS = firstLength((length) => countSteps(indexJson(`"${"x".repeat(length)}"`, LIMITS)) > 1);
/** Many characters or values, and the least number of steps that they take. */
const [MANY_UNITS, MANY_VALUES, MANY_STEPS] = [2 ** 21, 2 ** 16, 49];
/** As JSON.parse reads. */
const LENIENT = { ...LIMITS, allowsLoneSurrogates: true, allowsHugeNumbers: true };
const PLAIN: JsonBuilder<unknown> = {
  literal: (value) => value,
  number: Number,
  string: (text) => text,
  array: (items) => items,
  object: (members) => Object.fromEntries(members),
};

/** Checks that a text is read as JSON.parse reads it, or refused as there. */
function expectLikeParse(text: string): void {
  let expected: unknown;
  try {
    expected = JSON.parse(text);
  } catch {
    assert.throws(() => readJson(text, PLAIN, LENIENT), JsonSyntaxError, text.slice(0, 200));
    return;
  }
  assert.deepEqual(readJson(text, PLAIN, LENIENT), expected, text.slice(0, 200));
}

function countSteps(steps: Steps<unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count++;
  return count;
}

/** A value of JSON, spelled in one of many ways. */
function randomText(random: Random, depth = 0): string {
  const blank = () => random.pick(["", "", "", " ", "\n\t", "\r "]);
  // Names have no escapes here: V8 takes `"\n"` for a name that it read before, and that ended in a backslash.
  const name = () => random.pick(['""', '"a"', '"é"', '"😀"', '"ab"']);
  const string = () =>
    `"${
      Array.from(
        { length: random.below(4) },
        () => random.pick(["a", "é", "😀", "\\n", "\\\\", '\\"', "\\u0041", "\\ud83d\\ude00"]),
      ).join("")
    }"`;
  const inner = () => blank() + randomText(random, depth + 1) + blank();
  const length = depth > 4 ? 0 : random.below(4);
  switch (random.below(6)) {
    case 0:
      return `[${Array.from({ length }, inner).join()}${length === 0 ? blank() : ""}]`;
    case 1:
      return `{${Array.from({ length }, () => `${blank()}${name()}${blank()}:${inner()}`).join()}${blank()}}`;
    case 2:
      return random.pick(["0", "-0", "1.5", "-1e3", "2E+1", "123456789012", "1e308", "0.1e-5"]);
    case 3:
      return random.pick(["true", "false", "null"]);
    default:
      return string();
  }
}

describe("readJson", () => {
  it("reads what JSON.parse reads, however it is spelled", () => {
    const random = createRandom(1);
    for (let i = 0; i < 2000; i++) expectLikeParse(` ${randomText(random)}\n`);
  });

  it("refuses what JSON.parse refuses", () => {
    const random = createRandom(2);
    for (let i = 0; i < 4000; i++) {
      const text = randomText(random);
      const at = random.below(text.length + 1);
      const more = random.pick([
        "",
        ",",
        "]",
        "}",
        "[",
        "{",
        '"',
        "\\",
        ":",
        "x",
        "0",
        "-",
        ".",
        "e",
        "\u0001",
      ]);
      const changed = text.slice(0, at) + more + text.slice(at + random.below(3));
      expectLikeParse(changed);
    }
  });

  it("reads long strings part by part, wherever an escape or a pair falls", () => {
    for (const piece of ["\\u00e9", "\\ud83d\\ude00", "😀", "\\\\", '\\"', "\\n"]) {
      for (let before = 0; before < 12; before++) {
        const text = `["${"x".repeat(STEP_UNITS - before)}${piece.repeat(8)}${"y".repeat(2 * STEP_UNITS)}"]`;
        expectLikeParse(text);
        expectLikeParse(`{${text.slice(1, -1)}:1}`);
      }
    }
  });

  it("refuses long strings with something wrong in them", () => {
    const long = "x".repeat(STEP_UNITS - 3);
    for (const bad of ["\u0001", "\\x", "\\u12", "\\u12g4", "\\ud83d", "\\ude00", "\ud83d", "\n"]) {
      for (const text of [`"${long}${bad}${long}"`, `"${long}${long}${bad}"`, `"${long}${bad}`]) {
        assert.throws(() => readJson(text, PLAIN, LIMITS), JsonSyntaxError, bad);
      }
    }
    for (const text of [`"${long}`, `"${long}${long}\\`, `"${long}${long}\\"`, `["${long}"`]) {
      assert.throws(() => readJson(text, PLAIN, LIMITS), JsonSyntaxError);
    }
  });

  it("takes halves of pairs, and numbers beyond a double, where that is said", () => {
    for (const text of ['"\\ud83d"', '"\\ude00x"', `"${"x".repeat(STEP_UNITS - 3)}\\ud83d\\ud83d"`]) {
      assert.throws(() => readJson(text, PLAIN, LIMITS), JsonSyntaxError);
      assert.equal(readJson(text, PLAIN, { ...LIMITS, allowsLoneSurrogates: true }), JSON.parse(text));
    }
    for (const text of ["1e999", "1".repeat(400), "-1e309"]) {
      assert.throws(() => readJson(text, PLAIN, LIMITS), /out of range before position/);
      assert.equal(readJson(text, PLAIN, { ...LIMITS, allowsHugeNumbers: true }), Number(text));
    }
  });

  it("has limits of levels and values", () => {
    assert.deepEqual(readJson("[[0]]", PLAIN, { maxDepth: 2 }), [[0]]);
    assert.throws(() => readJson("[[[]]]", PLAIN, { maxDepth: 2 }), /levels/);
    assert.deepEqual(readJson('{"a":[0]}', PLAIN, { maxDepth: 2, maxValues: 3 }), { a: [0] });
    assert.throws(() => readJson('{"a":[0,0]}', PLAIN, { maxDepth: 2, maxValues: 3 }), /values/);
  });
});

describe("indexJson", () => {
  it("keeps equal members, in their order, and the spelling of numbers", () => {
    const node = runSync(indexJson('{"a":1.0,"b":[],"a":"x"}', LIMITS));
    const tokens = [...node.children()].map(({ kind, token }) => kind === "array" ? "[" : token);
    assert.deepEqual(tokens, ['"a"', "1.0", '"b"', "[", '"a"', '"x"']);
  });

  it("is done in steps of so many values", () => {
    const count = MANY_VALUES;
    for (const item of ["0", "[]", '""', "null"]) {
      assert.ok(countSteps(indexJson(`[${Array(count).fill(item).join()}]`, LIMITS)) >= MANY_STEPS, item);
      assert.ok(
        countSteps(indexJson(`{${Array(count).fill(`"":${item}`).join()}}`, LIMITS)) >= MANY_STEPS,
        item,
      );
    }
  });

  it("is done in steps of so many characters of a string, and so is making it", () => {
    for (const piece of ["x", "é", "\\\\", '\\"', "😀"]) {
      const text = `"${piece.repeat(MANY_UNITS)}"`;
      assert.ok(countSteps(indexJson(text, LIMITS)) >= MANY_STEPS, piece);
      // A plain string is a part of the text.
      const isPlain = piece === "x" || piece === "é";
      assert.ok(isPlain || countSteps(runSync(indexJson(text, LIMITS)).string()) >= MANY_STEPS, piece);
    }
  });

  it("is done in steps of so many digits of a number", () => {
    const digits = "1".repeat(MANY_UNITS);
    for (const text of [digits, `-${digits}`, `0.${digits}`, `1e${digits}`, `1.5E-${digits}`]) {
      assert.ok(countSteps(indexJson(text, LENIENT)) >= MANY_STEPS, text.slice(0, 9));
      assert.equal(runSync(indexJson(text, LENIENT)).token, text);
    }
  });

  it("takes long numbers as short ones", () => {
    for (const length of [1, 63, 64, 65, 66, 200]) {
      const digits = "9".repeat(length);
      const good = ["", "-", "0.", "-0.0", "1e", "1E+", "2.5e-", "1."].map((start) => start + digits);
      const bad = [`0${digits}`, `-0${digits}`, `${digits}.`, `${digits}.e1`, `${digits}e`, `${digits}e+`];
      for (
        const text of [...good, ...bad, `+${digits}`, `.${digits}`, `${digits}e1.${digits}`, `${digits}x`]
      ) {
        expectLikeParse(text);
        expectLikeParse(`[${text},0]`);
        expectLikeParse(`[${text}${text}]`);
      }
    }
  });

  it("reads any number of levels, in any order", () => {
    const levels = 200_000;
    const text = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    let node = runSync(indexJson(text, { maxDepth: Infinity }));
    let found = 1;
    for (let [child] = node.children(); child !== undefined; [child] = node.children()) {
      node = child;
      found++;
    }
    assert.equal(found, levels);
    assert.throws(() => runSync(indexJson("[".repeat(levels), { maxDepth: Infinity })), JsonSyntaxError);
  });
});

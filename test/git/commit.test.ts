/** Commit objects, also odd ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import {
  cutMessage,
  parseCommitHeader,
  parseCommitHeaderInSteps,
  parseCommitInSteps,
  readPerson,
  readPlainHeader,
  TRIMMING,
} from "../../src/git/commit.ts";
import { OID_BYTES, oidFromBytes } from "../../src/ids/oid.ts";
import { parseCommit } from "../support/commits.ts";
import { entryKind, findEntry, parseTree } from "../../src/git/tree.ts";
import { runSync } from "../../src/scheduling/task.ts";
import { Task } from "../../src/scheduling/task.ts";

const TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const encode = (text: string) => new TextEncoder().encode(text);
const commit = (...lines: string[]) => encode([`tree ${TREE}`, ...lines].join("\n"));
const PEOPLE = ["author A <a@x> 1 +0000", "committer C <c@x> -5 +0130"];

describe("parseCommit", () => {
  it("reads people, parents, time and message", () => {
    const parsed = parseCommit(
      commit(
        `parent ${TREE}`,
        `parent ${"1".repeat(40)}`,
        ...PEOPLE,
        "gpgsig -----BEGIN",
        " author X <x> 9 +0000",
        "",
        "Hi\n",
      ),
    );
    assert.deepEqual(parsed, {
      tree: TREE,
      parents: [TREE, "1".repeat(40)],
      author: { name: "A", email: "a@x" },
      committer: { name: "C", email: "c@x" },
      timeSeconds: -5,
      message: "Hi\n",
    });
  });

  it("reads a hundred thousand parents in some hundred steps, to the same commit", () => {
    const parents = Array.from({ length: 100_000 }, (_, i) => `parent ${i.toString(16).padStart(40, "0")}`);
    const bytes = commit(...parents, ...PEOPLE, "", "Hi");
    const steps = parseCommitInSteps(bytes);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    assert.deepEqual(step.value, parseCommit(bytes));
    // 98 for the parents, 74 for the text of 4.6 MiB.
    assert.ok(count > 160 && count < 180, `${count}`);
    assert.deepEqual(runSync(parseCommitHeaderInSteps(bytes)), parseCommitHeader(bytes));
    const damaged = commit(...parents, "parent x", ...PEOPLE);
    assert.throws(() => runSync(parseCommitInSteps(damaged)), DamagedError);
  });

  it("reads ids in capital letters", () => {
    const capitals = encode(
      `tree ${TREE.toUpperCase()}\nparent ${TREE.toUpperCase()}\n${PEOPLE.join("\n")}\n\nHi\n`,
    );
    assert.deepEqual(parseCommit(capitals), parseCommit(commit(`parent ${TREE}`, ...PEOPLE, "", "Hi\n")));
  });

  it("reads a commit that lacks people, or has them in another order", () => {
    const nobody = { name: "", email: "" };
    const [author, committer] = PEOPLE as [string, string];
    const { author: someone, committer: other, timeSeconds } = parseCommit(commit(...PEOPLE, "", "Hi"));
    const read = (...lines: string[]) => {
      const { author, committer, timeSeconds, message } = parseCommit(commit(...lines));
      return [author, committer, timeSeconds, message];
    };
    assert.deepEqual(read("", "Hi"), [nobody, nobody, 0, "Hi"]);
    assert.deepEqual(read(author, "", "Hi"), [someone, nobody, 0, "Hi"]);
    assert.deepEqual(read(committer, "", "Hi"), [nobody, other, timeSeconds, "Hi"]);
    assert.deepEqual(read(committer, author, "", "Hi"), [someone, other, timeSeconds, "Hi"]);
  });

  it("reads a commit without message", () => {
    assert.equal(parseCommit(commit(...PEOPLE)).message, "");
    assert.equal(parseCommit(commit(...PEOPLE, "")).message, "");
  });

  it("decodes what is not UTF-8 by the declared encoding, else with replacement characters", () => {
    const bytes = (...extra: string[]) => {
      const text = commit("author Ren# <r@x> 1 +0000", "committer C <c@x> 1 +0000", ...extra, "", "Caf#\n");
      return text.map((byte) => byte === 0x23 ? 0xe9 : byte);
    };
    assert.equal(parseCommit(bytes("encoding ISO-8859-1")).message, "Café\n");
    assert.equal(parseCommit(bytes("encoding ISO-8859-1")).author.name, "René");
    assert.equal(parseCommit(bytes()).message, "Caf\uFFFD\n");
    assert.equal(parseCommit(bytes("encoding nonsense")).author.name, "Ren\uFFFD");
  });

  for (
    const bytes of [
      encode(""),
      encode("tree x\n"),
      encode(`tree ${TREE}`),
      commit("parent x", ...PEOPLE),
      commit(`parent ${TREE}x`, ...PEOPLE),
      commit(`parent ${TREE}`).subarray(0, -1),
      encode(`tree ${TREE}x\n`),
      encode(`tree ${TREE.replace("4", "g")}\n`),
    ]
  ) {
    it(`refuses ${JSON.stringify(new TextDecoder().decode(bytes).slice(0, 60))}`, () => {
      assert.throws(() => parseCommitHeader(bytes), DamagedError);
    });
  }
});

describe("readPlainHeader", () => {
  const AUTHOR = "author Jos\xe9 <jose@radicle.xyz> 1514817556 +0200\n";
  const COMMITTER = "committer A. <> B> 1514817556 -0330\n";
  const text = (parents: readonly string[]) =>
    [`tree ${TREE}\n`, ...parents.map((id) => `parent ${id}\n`), AUTHOR, COMMITTER, "\nSubject"].join("");
  const latin1 = (text: string) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));
  /** The header as this reader finds it; `undefined` where it leaves the bytes to `parseCommitHeader`. */
  const read = (bytes: Uint8Array, room = 6) => {
    const ids = new Uint8Array(room * OID_BYTES);
    const found = readPlainHeader(bytes, ids);
    if (found === undefined) return undefined;
    const all = Array.from({ length: 1 + found.parents }, (_, i) => oidFromBytes(ids, i * OID_BYTES));
    return { ...found, tree: all[0], parents: all.slice(1) };
  };

  it("finds what is found in the whole commit", () => {
    for (const parents of [[], [TREE], [TREE, "0".repeat(40), "f".repeat(40)]]) {
      const bytes = latin1(text(parents));
      assert.deepEqual(read(bytes), parseCommitHeader(bytes));
    }
  });

  it("leaves headers that are cut off, have more ids than room or are not as git writes them", () => {
    const whole = text([TREE]);
    const end = whole.indexOf("\n\n");
    for (let length = 0; length <= end; length++) {
      assert.equal(read(latin1(whole.slice(0, length))), undefined);
    }
    assert.equal(read(latin1(text([TREE, TREE])), 2), undefined);
    for (
      const [from, to] of [["> 15", ">  15"], ["> 15", "> +15"], [
        "1514817556 -",
        "1514817556000000 -",
      ]] as const
    ) {
      assert.equal(read(latin1(whole.replace(COMMITTER, COMMITTER.replace(from, to)))), undefined, to);
    }
  });

  it("never finds anything else in changed bytes", () => {
    const bytes = latin1(text([TREE, TREE]));
    let found = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of [0, 0x0a, 0x20, 0x2d, 0x30, 0x39, 0x3e, 0x41, 0x66, 0xff]) {
        const changed = bytes.with(at, byte);
        const plain = read(changed);
        if (plain === undefined) continue;
        assert.deepEqual(plain, parseCommitHeader(changed), `${byte} at ${at}`);
        found++;
      }
    }
    assert.ok(found > bytes.length, `${found}`);
  });
});

describe("readPerson", () => {
  it("trims, and takes the last brackets", () => {
    assert.deepEqual(readPerson(" A  B < a@x > 1 +0000"), { name: "A  B", email: "a@x" });
    assert.deepEqual(readPerson("<a@x> 1 +0000"), { name: "", email: "a@x" });
    assert.deepEqual(readPerson("A <b> <c@x> 1"), { name: "A <b", email: "c@x" });
    assert.deepEqual(readPerson("nobody"), { name: "nobody", email: "" });
  });
});

describe("names and addresses as libgit2 reads them", () => {
  const cases: [line: string, name: string, email: string][] = [
    ["\t\x01 A \x1f <\x0ba@x\x7f > 1", "A", "a@x\x7f"],
    [`,:;<>"\\' A, B: C; \\"D' ,:;"\\'<,a@x;> 1`, `A, B: C; \\"D`, "a@x"],
    ["\u00a0A\u3000\ufeff <a@x>", "\u00a0A\u3000\ufeff", "a@x"],
    ["- [A] (B) ! <a@x>", "- [A] (B) !", "a@x"],
    [" ,;: <,> 1", "", ""],
    ["A\0B <a\0b@x>", "A", "a"],
    ["\0A <\0a@x\0>", "A", "a@x"],
  ];
  for (const [line, name, email] of cases) {
    it(`takes ${JSON.stringify(line)} for ${JSON.stringify(name)}`, () => {
      assert.deepEqual(readPerson(line), { name, email });
      assert.deepEqual(readPerson(line, TRIMMING), { name, email });
    });
  }

  it("takes a full stop away in v1, and leaves it else", () => {
    assert.deepEqual(readPerson(".Acme Inc. <.a@x.> 1"), { name: "Acme Inc", email: "a@x" });
    assert.deepEqual(readPerson(".Acme Inc. <.a@x.> 1", TRIMMING), { name: ".Acme Inc.", email: ".a@x." });
    assert.deepEqual(readPerson("J. <.> 1"), { name: "J", email: "" });
  });

  it("equal the names and addresses of a commit", () => {
    const bytes = commit("author Acme Inc. <a@x.> 1 +0000", "committer 'C' <\"c@x\"> 1 +0000", "", "One");
    assert.deepEqual(parseCommit(bytes).author, { name: "Acme Inc", email: "a@x" });
    assert.deepEqual(parseCommit(bytes).committer, { name: "C", email: "c@x" });
    assert.equal(parseCommit(bytes, TRIMMING).author.name, "Acme Inc.");
  });
});

describe("cutMessage", () => {
  const cases: [message: string, summary: string, description: string][] = [
    ["", "", ""],
    ["One\n", "One", ""],
    ["\n\nOne\n\nTwo\nthree\n\nfour\n", "One", "Two\nthree\n\nfour"],
    ["One  \n\nTwo", "One", "Two"],
    ["One\n \t\nTwo", "One", "Two"],
    // The first paragraph has several lines: the description is the whole message, as in the real service.
    ["One\n  two\n\nThree\n", "One two", "One\n  two\n\nThree"],
    ["One  two\t\n\v\f\r three \n", "One  two three", "One  two\t\n\v\f\r three"],
    ["One\n", "One", ""],
    ["One \t", "One", ""],
    ["  One\n\n \u0085Two\ufeff\u2003", "  One", "Two\ufeff"],
    ["\u3000One\u3000\nTwo", "\u3000One\u3000 Two", "One\u3000\nTwo"],
    ["\n\n", "", ""],
    [" \n\nOne", "", "One"],
    ["\n \nOne", " One", "One"],
    ["One\n \n \n", "One", ""],
  ];
  for (const [message, summary, description] of cases) {
    it(`cuts ${JSON.stringify(message)}`, () => {
      assert.deepEqual(runSync(cutMessage(message)), { summary, description });
    });
  }

  // Each of these takes a few milliseconds; hours, if it took time for each pair of characters.
  const LONG = 4_000_000;
  const long: Record<string, [start: string, repeated: string, end: string]> = {
    "blanks between words": ["a", " ", "b"],
    "blanks at the end": ["a", " ", ""],
    "lines of one letter": ["", "a\n", ""],
    "lines that begin with blanks": ["a", "\n b ", ""],
    "line breaks at the start": ["", "\n", "a"],
    "blank lines": ["a", "\n \n", "b"],
    "carriage returns": ["a", "\r", "b"],
    "wide blanks": ["a\n\n", "\u3000", "b"],
  };
  for (const [what, [start, repeated, end]] of Object.entries(long)) {
    it(`takes time for each character once: ${what}`, () => {
      const message = start + repeated.repeat(LONG / repeated.length) + end;
      const { summary, description } = runSync(cutMessage(message));
      assert.ok(summary.length + description.length <= 2 * message.length);
    });
  }
});

describe("a commit of some megabytes", () => {
  const LONG = 4_000_000;
  const headers: Record<string, Uint8Array> = {
    "without an empty line": commit(...PEOPLE, "x".repeat(LONG)),
    "of nothing but short lines": commit(...PEOPLE, "x\n".repeat(LONG / 2)),
    "with blanks for a time": commit(
      "author A <a@x> 1 +0000",
      `committer C <c@x>${" ".repeat(LONG)}x`,
      "",
      "One",
    ),
    "with a name of brackets": commit(
      `author ${"<".repeat(LONG)} 1 +0000`,
      "committer C <c@x> 1 +0000",
      "",
      "One",
    ),
    "with a name of blanks": commit(
      `author ${" ".repeat(LONG)}> 1 +0000`,
      "committer C <c@x> 1 +0000",
      "",
      "One",
    ),
    "with many encodings": commit(...PEOPLE, "encoding x\n".repeat(LONG / 11), "", "One"),
  };
  for (const [what, bytes] of Object.entries(headers)) {
    it(`is read once: ${what}`, () => {
      assert.equal(parseCommitHeader(bytes).tree, TREE);
      assert.equal(parseCommit(bytes).tree, TREE);
    });
  }

  it("has parents as many as fit", () => {
    const bytes = commit(...Array.from({ length: 80_000 }, () => `parent ${TREE}`), ...PEOPLE, "", "One");
    assert.equal(parseCommit(bytes).parents.length, 80_000);
  });

  it("ends its message at a NUL, as in libgit2", () => {
    assert.equal(parseCommit(commit(...PEOPLE, "", "One\0Two")).message, "One");
  });
});

describe("parseTree", () => {
  const oid = Uint8Array.from({ length: 20 }, (_, i) => i);
  const entry = (mode: string, name: string) => [...encode(`${mode} ${name}\0`), ...oid];
  const bytes = Uint8Array.from([
    ...entry("40000", "dir"),
    ...entry("100755", "run it"),
    ...entry("160000", "sub"),
  ]);

  it("reads modes, names and ids", () => {
    assert.deepEqual(
      parseTree(bytes).map(({ mode, name }) => [entryKind(mode), new TextDecoder().decode(name)]),
      [
        ["tree", "dir"],
        ["blobExecutable", "run it"],
        ["commit", "sub"],
      ],
    );
  });

  it("finds a name without mistaking parts of ids or other names for it", async () => {
    assert.equal((await findEntry(bytes, encode("run it"), new Task()))?.mode, 0o100755);
    for (const name of ["run", "it", "di", "", "sub\0", "dirx"]) {
      assert.equal(await findEntry(bytes, encode(name), new Task()), undefined);
    }
  });

  it("finds a name among very many", async () => {
    const [count, last] = [12_293, 12_292];
    const names = Array.from({ length: count }, (_, i) => `n${String(i).padStart(6, "0")}`);
    const oid = "1".repeat(40);
    const many = encode(names.map((name) => `100644 ${name}\0${"\x11".repeat(20)}`).join(""));
    for (const i of [0, 4095, 4096, 8192, last]) {
      assert.equal((await findEntry(many, encode(names[i]!), new Task()))?.oid, oid);
    }
    assert.equal(await findEntry(many, encode("n"), new Task()), undefined);
    await assert.rejects(
      async () => await findEntry(many.subarray(0, -1), encode("n"), new Task()),
      DamagedError,
    );
  });

  it("refuses bytes that end early, wherever they end", () => {
    for (let length = 1; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const isWhole = [
        entry("40000", "dir").length,
        entry("40000", "dir").length + entry("100755", "run it").length,
      ].includes(length);
      if (isWhole) assert.ok(parseTree(cut).length > 0);
      else assert.throws(() => parseTree(cut), DamagedError, String(length));
    }
    assert.throws(() => parseTree(encode("99 x\0aaaaaaaaaaaaaaaaaaaa")), DamagedError);
    assert.throws(() => parseTree(encode("1000000000000000 x\0aaaaaaaaaaaaaaaaaaaa")), DamagedError);
  });
});

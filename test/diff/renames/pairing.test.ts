/** Which files were moved or copied. `PAIRING_ROUNDS=50` compares more answers with those of libgit2. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { type BlobContents, Blobs } from "../../../src/diff/blobs.ts";
import { Libgit2 } from "../../../src/diff/libgit2/engine.ts";
import { MAX_RENAME_SOURCES } from "../../../src/diff/libgit2/scratch_repository.ts";
import type { FilePair } from "../../../src/diff/renames/pairing.ts";
import {
  candidatesAmong,
  type PairedFiles,
  pairFiles,
  readStatus,
} from "../../../src/diff/renames/pairing.ts";
import type { Change, FileSide } from "../../../src/diff/tree_comparison.ts";
import { hashObject } from "../../../src/git/encode.ts";
import type { EntryKind } from "../../../src/git/tree.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { GitObject, Repository } from "../../../src/ports/storage.ts";
import { randomNumbers } from "../random.ts";
import { emptyRepository } from "../trees.ts";
import { UnsupportedError } from "../../../src/errors.ts";

const ROUNDS = Number(process.env["PAIRING_ROUNDS"] ?? 1);

const CHANGES: readonly Change[] = Array.from({ length: 4 }, (_, i) => ({ path: String(i) }));

/** Pairs as numbers of their changes; renames have an arrow. */
function print(list: string): string[] {
  return readStatus(list, CHANGES).map(({ from, to, isRename }) =>
    `${CHANGES.indexOf(from)} ${isRename ? "→" : "="} ${CHANGES.indexOf(to)}`
  );
}

describe("readStatus", () => {
  it("reads files that stayed where they are", () => {
    assert.deepEqual(print("A\t000000\nD\t000001\nM\t000002\n"), ["0 = 0", "1 = 1", "2 = 2"]);
  });

  it("reads moved and copied files", () => {
    assert.deepEqual(print("R\t000001  000000 \nC\t000003  000002 \n"), ["1 → 0", "3 = 2"]);
  });

  it("is not misled by the stars of executable files", () => {
    assert.deepEqual(print("R\t000001* 000000*\nM\t000002  000002*\nM\t000003*\n"), [
      "1 → 0",
      "2 = 2",
      "3 = 3",
    ]);
  });

  it("finds nothing in an empty list", () => {
    assert.deepEqual(print(""), []);
  });

  it("rejects what is no list of the changes", () => {
    for (const list of ["hello\n", "A\tx\n", "A\t000004\n", "R\t000000 \t000001\n"]) {
      assert.throws(() => print(list), TypeError);
    }
  });
});

const encoder = new TextEncoder();

/** Changes between files given as text, and their contents. */
class Files {
  readonly changes: Change[] = [];
  readonly contents = new Map<Oid, Uint8Array | undefined>();

  /** A file with an old text, a new one, or both. */
  add(old: string | undefined, now: string | undefined, mode = (): EntryKind => "blob"): this {
    this.changes.push({
      path: String(this.changes.length),
      ...(old !== undefined && { old: this.#put(old, mode()) }),
      ...(now !== undefined && { new: this.#put(now, mode()) }),
    });
    return this;
  }

  /** The texts that are compared, by their first words. */
  compared(): string[] | undefined {
    const sizeOf = (oid: Oid) => this.contents.get(oid)?.length;
    const candidates = candidatesAmong(this.changes, { sizeOf, bytesIn: () => 0 });
    return candidates &&
      [...candidates.compared].map((oid) => new TextDecoder().decode(this.contents.get(oid)).split(" ")[0]!)
        .sort();
  }

  /** The files as they are in a repository. */
  async paired(changes: readonly Change[] = this.changes): Promise<PairedFiles> {
    const objects = (oid: Oid): GitObject => ({ kind: "blob", bytes: this.contents.get(oid)! });
    const repository: Repository = {
      ...emptyRepository(),
      header: (oid) => ({ kind: "blob", size: this.contents.get(oid)!.length }),
      objects: (oids) => oids.map(objects),
    };
    const blobs = await Blobs.of(repository, this.changes);
    return { changes, blobs, candidates: candidatesAmong(changes, blobs) };
  }

  #put(text: string, mode: EntryKind): FileSide {
    const bytes = encoder.encode(text);
    const oid = hashObject("blob", bytes);
    this.contents.set(oid, bytes);
    return { oid, mode };
  }
}

/** A text of about so many bytes. */
const textOf = (word: string, bytes: number): string => `${word} line\n`.repeat(bytes / (word.length + 6));

/** A text of about so many bytes, no line of which comes twice. */
const linesOf = (word: string, bytes: number): string =>
  Array.from({ length: bytes / (word.length + 8) }, (_, i) => `${word} line ${i}\n`).join("");

describe("candidates for renames", () => {
  it("are missing without added files", () => {
    assert.equal(
      new Files().add(textOf("a", 500), undefined).add(textOf("b", 500), textOf("c", 500)).compared(),
      undefined,
    );
  });

  it("are missing without old files", () => {
    assert.equal(new Files().add(undefined, textOf("a", 500)).compared(), undefined);
  });

  it("are added files and the old sides of others", () => {
    const files = new Files().add(undefined, textOf("added", 500)).add(textOf("deleted", 500), undefined)
      .add(textOf("before", 500), textOf("after", 500));
    assert.deepEqual(files.compared(), ["added", "before", "deleted"]);
  });

  it("are no files of quite another size, unless they are small", () => {
    const files = new Files().add(undefined, textOf("added", 500)).add(textOf("large", 50_000), undefined)
      .add(textOf("alike", 2000), undefined).add(textOf("small", 100), undefined);
    assert.deepEqual(files.compared(), ["added", "alike", "small"]);
    assert.equal(
      new Files().add(undefined, textOf("a", 500)).add(textOf("b", 50_000), undefined).compared(),
      undefined,
    );
  });

  it("include equal files that are too large to be read", () => {
    const files = new Files().add(undefined, "same").add("same", undefined);
    for (const oid of files.contents.keys()) files.contents.set(oid, undefined);
    assert.deepEqual(files.compared(), []);
  });
});

describe("pairFiles", () => {
  const libgit2 = new Libgit2(loadLibgit2);
  const lacking = new Libgit2(() => Promise.reject(new Error("not needed")));
  const [one, two, three] = [textOf("one", 500), textOf("two", 500), textOf("three", 500)] as const;

  async function pairsOf(files: Files, by: Libgit2 = lacking): Promise<string[]> {
    const { changes } = files;
    return (await pairFiles(by, await files.paired())).map(({ from, to, isRename }) =>
      `${changes.indexOf(from)} ${isRename ? "→" : "="} ${changes.indexOf(to)}`
    );
  }

  it("finds moved and copied files without libgit2 where they are like one other", async () => {
    const files = new Files().add(undefined, one + "more\n").add(one, undefined).add(two, two + "more\n")
      .add(undefined, two).add(undefined, three).add("gone\n", undefined);
    assert.deepEqual(await pairsOf(files), ["1 → 0", "2 = 2", "2 = 3", "4 = 4", "5 = 5"]);
  });

  /** Answers as libgit2 does, and notes how many files it is asked about. */
  class NotingLibgit2 extends Libgit2 {
    readonly asked: number[] = [];
    override status(changes: readonly Change[], contents: BlobContents): Promise<string> {
      this.asked.push(changes.length);
      return super.status(changes, contents);
    }
  }

  it("asks libgit2 only about unclear files", async () => {
    const long = linesOf("long", 9000);
    const files = new Files().add(undefined, one + "more\n").add(one, undefined).add(two, two + "more\n")
      .add(long, undefined).add(undefined, long + "more\n").add(undefined, three);
    const noting = new NotingLibgit2(loadLibgit2);
    assert.deepEqual(await pairsOf(files, noting), ["1 → 0", "2 = 2", "3 → 4", "5 = 5"]);
    assert.deepEqual(noting.asked, [2]);
  });

  it("asks libgit2 about all where a file is like several", async () => {
    const files = new Files().add(one, undefined).add(three, undefined).add(one, undefined)
      .add(undefined, one + "more\n").add(undefined, two);
    const noting = new NotingLibgit2(loadLibgit2);
    assert.deepEqual((await pairsOf(files, noting)).filter((pair) => !pair.includes("→")), [
      "1 = 1",
      "2 = 2",
      "4 = 4",
    ]);
    assert.deepEqual(noting.asked, [5]);
  });

  it("answers as libgit2 does when it is asked about all", { timeout: 600_000 }, async () => {
    const random = randomNumbers(3);
    const upTo = (limit: number): number => Math.floor(random() * (limit + 1));
    for (let round = 0; round < 120 * ROUNDS; round++) {
      const sizes = [0, 20, 40, 200, 300, 900, 3000, 9000];
      const texts = Array.from({ length: 7 }, (_, i) => linesOf(`t${i}`, sizes[upTo(sizes.length - 1)]!));
      const text = (): string => {
        const lines = texts[upTo(6)]!.split("\n");
        for (let edits = upTo(3) * upTo(lines.length / 5); edits > 0; edits--) {
          lines.splice(upTo(lines.length), 1, `new ${upTo(99)}`);
        }
        const indented = random() < 0.2 ? lines.map((line) => `${" ".repeat(upTo(60))}${line}`) : lines;
        return indented.join("\n") + (random() < 0.02 ? "\0" : "");
      };
      const files = new Files();
      for (let i = 0; i < 8; i++) {
        const kind = upTo(2);
        const isLink = random() < 0.05;
        const mode = (): EntryKind => isLink ? "link" : random() < 0.1 ? "blobExecutable" : "blob";
        files.add(kind === 0 ? undefined : text(), kind === 1 ? undefined : text(), mode);
      }
      const changes = files.changes.filter(({ old, new: now }) => old?.oid !== now?.oid);
      const print = (pairs: readonly FilePair[]): string =>
        pairs.map(({ from, to, isRename }) => `${changes.indexOf(from)} ${isRename} ${changes.indexOf(to)}`)
          .join("\n");
      const whole = readStatus(await libgit2.status(changes, files.contents), changes);
      assert.equal(print(await pairFiles(libgit2, await files.paired(changes))), print(whole));
    }
  });

  it("answers as libgit2 does about empty files", { timeout: 600_000 }, async () => {
    const random = randomNumbers(5);
    const upTo = (limit: number): number => Math.floor(random() * (limit + 1));
    for (let round = 0; round < 120 * ROUNDS; round++) {
      const files = new Files();
      const text = (word: string) =>
        random() < 0.7
          ? ""
          : random() < 0.2
          ? "\n".repeat(upTo(4)) + " ".repeat(upTo(3))
          : linesOf(`${word}${upTo(99_999)}`, 20 * upTo(40)) + "\0".repeat(upTo(1));
      const mode = (): EntryKind => random() < 0.2 ? "blobExecutable" : "blob";
      for (let i = upTo(12); i >= 0; i--) {
        const kind = upTo(2);
        files.add(kind === 0 ? undefined : text("old"), kind === 1 ? undefined : text("new"), mode);
      }
      const changes = files.changes.filter(({ old, new: now }) => old?.oid !== now?.oid);
      if (changes.length === 0) continue;
      const print = (pairs: readonly FilePair[]): string =>
        pairs.map(({ from, to, isRename }) => `${changes.indexOf(from)} ${isRename} ${changes.indexOf(to)}`)
          .join("\n");
      const whole = readStatus(await libgit2.status(changes, files.contents), changes);
      const here = await pairFiles(libgit2, await files.paired(changes));
      assert.equal(print(here), print(whole));
    }
    const many = new Files().add("", undefined);
    for (let i = 0; i < 3; i++) many.add(undefined, "");
    assert.deepEqual(await pairsOf(many, libgit2), ["0 → 1", "0 → 2", "0 → 3"]);
  });

  it("pairs the most similar files where libgit2 would search for long", async () => {
    const count = 2 * MAX_RENAME_SOURCES;
    const files = new Files();
    const text = (i: number) => linesOf(`file${i}`, 200);
    for (let i = 0; i < count; i++) files.add(text(i), i % 2 === 0 ? undefined : "now");
    for (let i = 0; i < count; i++) files.add(undefined, i === 0 ? text(i) : `${text(i)}more\n`);
    files.add(undefined, text(4)).add(undefined, text(count)).add("\0old", undefined).add(undefined, "\0new");
    const pairs = await pairsOf(files);
    const changed = Array.from({ length: count / 2 }, (_, i) => `${2 * i + 1} = ${2 * i + 1}`);
    const moved = Array.from({ length: count }, (_, i) => `${i} ${i % 2 === 0 ? "→" : "="} ${count + i}`);
    // Of two that are similar to the same file, the more similar one was moved.
    moved[4] = moved[4]!.replace("→", "=");
    const last = [0, 1, 2, 3].map((i) => `${2 * count + i} = ${2 * count + i}`);
    last[0] = `4 → ${2 * count}`;
    assert.deepEqual(pairs, [...changed, ...moved, ...last]);
  });

  it("leaves it to libgit2 to choose where there are more files than it compares", async () => {
    const files = new Files().add(undefined, one);
    for (let i = 0; i <= MAX_RENAME_SOURCES; i++) files.add(textOf(`gone${i}`, 500), undefined);
    await assert.rejects(pairsOf(files), UnsupportedError);
  });
});

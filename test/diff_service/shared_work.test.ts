import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Piece, shareWork } from "../../src/diff_service/shared_work.ts";

/** A piece with a name: in capitals it is for the worker alone. */
interface Letter extends Piece {
  readonly letter: string;
}

const piecesOf = (letters: string): Letter[] =>
  [...letters].map((letter) => ({ letter, isForAnybody: letter === letter.toLowerCase() }));

/** Notes who does what. */
class Doing {
  readonly here: string[] = [];
  readonly byWorker: string[] = [];

  share(letters: string, isEnough: (result: string) => boolean = () => false): Promise<readonly string[]> {
    return shareWork<Letter, string>(piecesOf(letters), {
      here: async ({ letter }) => await this.#done(this.here, letter),
      byWorker: async ({ letter }) => await this.#done(this.byWorker, letter),
      isEnough,
    });
  }

  async #done(list: string[], letter: string): Promise<string> {
    list.push(letter);
    await Promise.resolve();
    if (letter === "!") throw new Error("not to be done");
    return letter.toLowerCase();
  }
}

describe("shared work", () => {
  it("is begun at both ends, and done in the order of its pieces", async () => {
    const doing = new Doing();
    assert.equal((await doing.share("abcdef")).join(""), "abcdef");
    assert.deepEqual([doing.here.join(""), doing.byWorker.join("")], ["abc", "fed"]);
  });

  it("leaves to the worker what nobody else may do", async () => {
    const doing = new Doing();
    assert.equal((await doing.share("aBcDe")).join(""), "abcde");
    assert.deepEqual([doing.here.join(""), doing.byWorker.join("")], ["ace", "BD"]);
    const alone = new Doing();
    assert.equal((await alone.share("AB")).join(""), "ab");
    assert.deepEqual([alone.here.join(""), alone.byWorker.join("")], ["", "AB"]);
  });

  it("ends when there is enough, with the first pieces that are done", async () => {
    const doing = new Doing();
    assert.equal((await doing.share("abcdef", (result) => result === "b")).join(""), "ab");
    assert.deepEqual([doing.here.join(""), doing.byWorker.join("")], ["ab", "fe"]);
  });

  it("fails with a piece, and begins no other", async () => {
    const doing = new Doing();
    await assert.rejects(doing.share("a!cdef"), { message: "not to be done" });
    assert.deepEqual([doing.here.join(""), doing.byWorker.join("")], ["a!", "fe"]);
  });

  it("may be nothing", async () => assert.deepEqual(await new Doing().share(""), []));
});

/** Texts of views: made once, and anew when what they show is another thing, stands beside another thing, or is called otherwise. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { NodeId } from "../../src/ids/nid.ts";
import { toAuthorView } from "../../src/views/node.ts";
import { leastMemoryBytes, Memory } from "../../src/cache/memory.ts";
import { CachedTexts } from "../../src/views/cached_texts.ts";
import { ALICE, BOB } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

interface Subject {
  readonly id: string;
  readonly nodes: readonly NodeId[];
}

const SMALL = new Memory({ totalBytes: leastMemoryBytes() });

describe("CachedTexts", () => {
  const asked: (readonly NodeId[])[] = [];
  const called = new Map<NodeId, string>();
  const names = {
    aliases: (nodes: readonly NodeId[]) => {
      asked.push(nodes);
      return Promise.resolve(new Map([...called].filter(([node]) => nodes.includes(node))));
    },
  };
  let texts: CachedTexts;
  let made: string[] = [];
  let besides: unknown;

  const show = async (...subjects: Subject[]) => {
    const shown = await texts.of(
      names,
      subjects,
      ({ id, nodes }, aliasOf) => {
        made.push(id);
        return { id, authors: nodes.map((node) => toAuthorView(node, aliasOf).alias ?? "?").join(" ") };
      },
      new Task(),
      () => besides,
    );
    return shown.map((text) => JSON.parse(text)).map(({ id, authors }) => `${id}: ${authors}`);
  };

  beforeEach(() => {
    texts = new CachedTexts();
    called.clear();
    called.set(ALICE, "alice");
    made = [];
    asked.length = 0;
    besides = undefined;
  });

  it("looks up all nodes of all views at once, each one time", async () => {
    const one = { id: "1", nodes: [ALICE, BOB, ALICE] };
    const two = { id: "2", nodes: [BOB] };
    assert.deepEqual(await show(one, two), ["1: alice ? alice", "2: ?"]);
    assert.deepEqual(asked, [[ALICE, BOB]]);
  });

  it("asks nothing for views of no nodes", async () => {
    assert.deepEqual(await show({ id: "1", nodes: [] }), ["1: "]);
    assert.deepEqual(asked, []);
  });

  it("makes a text once for each thing, in whatever list it is", async () => {
    const [one, two] = [{ id: "1", nodes: [BOB] }, { id: "2", nodes: [BOB] }];
    await show(one);
    await show(two, one);
    await show(one, two);
    assert.deepEqual(made, ["1", "2"]);
  });

  it("makes another text for another thing with the same content", async () => {
    await show({ id: "1", nodes: [BOB] });
    assert.deepEqual(await show({ id: "1", nodes: [ALICE] }), ["1: alice"]);
  });

  it("makes a text again as soon as the alias of a node in it has changed or is gone", async () => {
    const [one, two] = [{ id: "1", nodes: [ALICE, BOB] }, { id: "2", nodes: [BOB] }];
    await show(one, two);
    called.set(ALICE, "al");
    made = [];
    assert.deepEqual(await show(one, two), ["1: al ?", "2: ?"]);
    assert.deepEqual(made, ["1"]);
    called.clear();
    assert.deepEqual(await show(one, two), ["1: ? ?", "2: ?"]);
  });

  it("makes a text again when it is next to something else", async () => {
    const one = { id: "1", nodes: [BOB] };
    for (const beside of [{}, {}, undefined]) {
      besides = beside;
      made = [];
      await show(one);
      await show(one);
      assert.deepEqual(made, ["1"]);
    }
  });

  it("drops the least recently used when there is too much", async () => {
    texts = new CachedTexts(SMALL);
    const length = SMALL.share("views") / 16;
    const subjects = Array.from({ length: 10 }, (_, i) => ({ id: String(i).repeat(length), nodes: [] }));
    assert.equal((await show(...subjects)).length, 10);
    made = [];
    await show(subjects[9]!);
    assert.deepEqual(made, []);
    await show(subjects[0]!);
    assert.deepEqual(made, [subjects[0]!.id]);
  });

  it("drops nothing for one that is too long", async () => {
    texts = new CachedTexts(SMALL);
    const [one, long] = [{ id: "1", nodes: [] }, { id: "2".repeat(SMALL.share("views") / 8), nodes: [] }];
    await show(one, long);
    made = [];
    await show(one, long);
    assert.deepEqual(made, [long.id]);
  });

  it("makes a long one in pieces, with the names of all nodes", async () => {
    const text = "x".repeat(100_000);
    const view = (names: (node: NodeId) => string | undefined) => ({
      id: 1,
      nothing: null,
      left: undefined,
      'a"b': [[], {}, [names(ALICE), text, true], { text, names: [names(BOB) ?? "?"] }],
    });
    const pieces: string[] = [];
    for await (const piece of texts.pieces(names, {}, (_, aliasOf) => view(aliasOf), new Task())) {
      pieces.push(piece);
    }
    assert.equal(pieces.join(""), JSON.stringify(view((node) => node === ALICE ? "alice" : undefined)));
    assert.deepEqual([pieces.length, asked], [3, [[ALICE, BOB]]]);
  });

  it("reads a few items of a long list at a time", async () => {
    const count = 100_000;
    let looks = 0;
    const list = new Proxy(Array<number>(count).fill(1), {
      get(items, name, receiver) {
        looks++;
        return Reflect.get(items, name, receiver);
      },
      ownKeys(items) {
        looks += items.length;
        return Reflect.ownKeys(items);
      },
    });
    let [most, length] = [0, 0];
    for await (const piece of texts.pieces(names, {}, () => ({ list }), new Task())) {
      most = Math.max(most, looks);
      looks = 0;
      length += piece.length;
    }
    assert.equal(length, JSON.stringify({ list: Array(count).fill(1) }).length);
    assert.ok(most < count / 2, `${most} looks before one piece`);
  });
});

/** Walks through histories of signed references: how often, how far, and what is saved of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import {
  createSigrefsCache,
  type SigrefsCache,
  SigrefsReader,
  sigrefsRef,
} from "../../src/identity/sigrefs.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { CacheFolder } from "../../src/ports/cache_folder.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createWriter } from "../cob/entries.ts";
import { createWorld } from "../support/world.ts";
import { BRANCH, CraftedHistory, type State } from "./crafted_sigrefs.ts";
import { Task } from "../../src/scheduling/task.ts";

/** A repository with a history of Carol's, and the commits that are read. */
function open() {
  const { hello, commits: [x, y, z] } = createWorld();
  const { nid } = createWriter(7);
  const states = { x, y, z };
  const place = { root: hello.ref("refs/rad/id")!.oid!, states };
  const history = new CraftedHistory(hello.put, createWriter(7), place);
  const reads: Oid[] = [];
  const repository: Repository = { ...hello, object: (oid) => (reads.push(oid), hello.object(oid)) };
  return {
    hello,
    nid,
    history,
    repository,
    show: (tip = history.tip) => hello.setRef(sigrefsRef(nid), tip),
    /** Number of commits of the history that were read since the last call. */
    walked: () => {
      const walked = reads.filter((oid) => history.commits.includes(oid)).length;
      reads.length = 0;
      return walked;
    },
    state: async (cache: SigrefsCache) => {
      const at = (await new SigrefsReader(repository, cache, new Task()).read(nid))?.get(BRANCH);
      return (Object.keys(states) as State[]).find((state) => states[state] === at);
    },
  };
}

/** A history of `length` commits, at least three, whose last one repeats an earlier one; Y counts. */
function addReplay(history: CraftedHistory, length: number): void {
  const start = history.commits.length;
  for (let i = start; i < start + length - 2; i++) {
    history.add({ lines: [[`refs/heads/${i}`, history.place.root]] });
  }
  history.add({ state: "y" }).add({ lines: [[`refs/heads/${start}`, history.place.root]] });
}

/** A cache folder in memory. */
function createFolder(): CacheFolder & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    read: (name) => files.get(name),
    write: (name, bytes) => void files.set(name, bytes),
  };
}

describe("the history of signed references", () => {
  it("is not read below a head of level parent", async () => {
    const { history, show, state, walked } = open();
    history.add({}).add({ state: "y", level: "parent" }).add({ state: "z", level: "parent" });
    show();
    assert.equal(await state(createSigrefsCache()), "z");
    assert.equal(walked(), 1);
  });

  it("is walked once below a lower head, even where no list has room in memory", async () => {
    const { history, show, state, walked } = open();
    history.add({}).add({ state: "y" }).add({ state: "x" });
    show();
    const cache = createSigrefsCache();
    assert.deepEqual(await Promise.all([state(cache), state(cache)]), ["y", "y"]);
    // Each reads the head and the commit that counts, one of them walks.
    assert.equal(walked(), 2 * 2 + 2);
    cache.refs.clear();
    assert.equal(await state(cache), "y");
    assert.equal(walked(), 2);
  });

  it("is judged again when the tip has moved", async () => {
    const { history, show, state } = open();
    const cache = createSigrefsCache();
    history.add({}).add({ state: "y" }).add({ state: "x" });
    for (const [i, expected] of ["x", "y", "y"].entries()) {
      show(history.commits[i]);
      assert.equal(await state(cache), expected);
    }
    show(history.add({ state: "z", level: "parent" }).tip);
    assert.equal(await state(cache), "z");
  });

  it("is judged again when a missing commit has come, not before", async () => {
    const { hello, history, show, state, repository, walked } = open();
    history.add({}).add({ state: "y" }).add({ state: "z" });
    show();
    let isThere = false;
    const cache = createSigrefsCache();
    const missing: Repository = {
      ...repository,
      object: (oid) => oid === history.commits[0] && !isThere ? undefined : repository.object(oid),
    };
    const read = (nid: NodeId) => new SigrefsReader(missing, cache, new Task()).read(nid);
    await assert.rejects(read(createWriter(7).nid), DamagedError);
    walked();
    await assert.rejects(read(createWriter(7).nid), DamagedError);
    assert.equal(walked(), 1);
    isThere = true;
    hello.put("blob", new Uint8Array(1));
    await read(createWriter(7).nid);
    assert.equal(await state(cache), "z");
  });

  it("has an end where a parent leads back to a commit", async () => {
    const { history, show, repository, nid } = open();
    history.add({}).add({ state: "y" }).add({ state: "z" });
    show();
    const [first, , last] = history.commits;
    const looping: Repository = {
      ...repository,
      object: (oid) => repository.object(oid === first ? last! : oid),
    };
    const cache = createSigrefsCache(undefined, { maxCommits: 1000 });
    await assert.rejects(new SigrefsReader(looping, cache, new Task()).read(nid), /too long/);
  });

  it("of one commit is not walked, whatever its level", async () => {
    const { history, show, state, walked } = open();
    for (const level of ["none", "root"] as const) {
      show(history.add({ state: "z", level, parents: [] }).tip);
      assert.equal(await state(createSigrefsCache()), "z");
      assert.equal(walked(), 1);
    }
  });

  for (const limits of [{ maxCommits: 4 }, { maxBytes: 490 }]) {
    it(`is refused beyond ${Object.keys(limits)[0]}, which is logged once`, async () => {
      const { history, show, state, walked } = open();
      const log: string[] = [];
      const cache = createSigrefsCache(undefined, { ...limits, log: (_level, message) => log.push(message) });
      addReplay(history, 4);
      show();
      assert.equal(await state(cache), "y");
      history.add({ state: "x" });
      show();
      await assert.rejects(state(cache), DamagedError);
      walked();
      await assert.rejects(state(cache), DamagedError);
      cache.refs.clear();
      await assert.rejects(state(cache), DamagedError);
      assert.equal(walked(), 1, "the head alone");
      assert.deepEqual(log.map((line) => line.split(":")[0]), [
        "The history of signed references is too long",
      ]);
    });
  }
});

describe("the judgement of a history in the cache folder", () => {
  /** A long history whose last commit repeats an earlier one, judged by a process with this folder. */
  async function judged() {
    const opened = open();
    addReplay(opened.history, 1000);
    opened.show();
    const folder = createFolder();
    const again = () => opened.state(createSigrefsCache(undefined, { cacheFolder: folder }));
    const expected = await again();
    opened.walked();
    return { ...opened, folder, again, expected };
  }

  it("spares the next process the walk", async () => {
    const { again, expected, walked, folder } = await judged();
    assert.equal(folder.files.size, 1);
    assert.equal(await again(), expected);
    assert.equal(walked(), 2, "the head and the commit that counts");
  });

  it("is replaced when the tip moves", async () => {
    const { again, history, show, folder, walked } = await judged();
    history.add({ state: "z" });
    show();
    assert.equal(await again(), "z");
    assert.equal(folder.files.size, 1);
    walked();
    assert.equal(await again(), "z");
    assert.equal(walked(), 1);
  });

  it("is not used when it is damaged, and the folder may fail", async () => {
    const { folder, again, expected, state } = await judged();
    const [[name, bytes]] = [...folder.files] as [[string, Uint8Array]];
    for (const wrong of [bytes.slice(1), bytes.slice(0, 20), new Uint8Array(), new Uint8Array(9)]) {
      folder.files.set(name, wrong);
      assert.equal(await again(), expected);
    }
    const fail = () => {
      throw new Error("no disk");
    };
    const failing = createSigrefsCache(undefined, { cacheFolder: { read: fail, write: fail } });
    assert.equal(await state(failing), expected);
  });

  it("never shows what is not signed", async () => {
    const { folder, again, history } = await judged();
    const [[name, bytes]] = [...folder.files] as [[string, Uint8Array]];
    const text = new TextDecoder().decode(bytes);
    history.add({ folder: (refs) => ({ refs, signature: new Uint8Array(64) }) });
    const wrong = JSON.stringify({ ...JSON.parse(text), judgement: { shown: history.tip } });
    folder.files.set(name, new TextEncoder().encode(wrong));
    await assert.rejects(again(), DamagedError);
  });

  it("is not saved for a short history", async () => {
    const { history, show, state } = open();
    addReplay(history, 20);
    show();
    const folder = createFolder();
    await state(createSigrefsCache(undefined, { cacheFolder: folder }));
    assert.equal(folder.files.size, 0);
  });
});

/** Processes that are killed while they write: what they have said to last does, and others go on. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TRIES_ALL } from "../support/cases.ts";
import { MAIN, ownRef, startLocking, startWriting } from "../support/writing_children.ts";
import { WrittenHome } from "../support/written_home.ts";
import { writeCommit } from "./writing_suite.ts";

const KILLS = TRIES_ALL ? 30 : 10;
/** Changes that a process makes before it is killed, at most. */
const MAX_CHANGES = 8;
/** Changes that each process makes that lives beside others that are killed. */
const LIVING_CHANGES = 60;

describe("a process that is killed while it writes", () => {
  let home: WrittenHome;
  before(() => {
    home = new WrittenHome();
  });
  after(() => home.remove());

  /** Checks that references point to the commits that they were said to, and that all of these are in the history. */
  function assertKept(promised: ReadonlyMap<string, string>): void {
    const history = new Set(home.git.text(["rev-list", MAIN]).split("\n"));
    const refs = new Map(home.git.refs().map(({ name, oid }) => [name, oid]));
    for (const [name, commit] of promised) {
      assert.equal(refs.get(name), commit);
      assert.ok(history.has(commit), `${commit} is not in ${MAIN}`);
    }
  }

  it("has lost nothing that it said to last, and leaves nothing that others stumble over", async (test) => {
    const locks = () => home.leftovers().filter((name) => name.endsWith(".lock"));
    let left = 0;
    const promised = new Map<string, string>();
    for (let kill = 0; kill < KILLS; kill++) {
      const changes = 1 + Math.floor(Math.random() * MAX_CHANGES);
      const child = startWriting(home.root, `p${kill}`, Infinity, ({ commits, kill }) => {
        if (commits.length >= changes) kill();
      });
      assert.equal(await child.ended, null, child.errors());
      for (const commit of child.commits) promised.set(ownRef(`p${kill}`, commit), commit);
      left += locks().length;
    }

    assertKept(promised);
    assert.ok(promised.size >= KILLS);
    home.check();

    const repository = home.open();
    const from = (await repository.ref(MAIN))?.oid;
    assert.equal(await repository.updateRef(MAIN, { from, to: await writeCommit(repository, "Next") }), true);
    assert.deepEqual(locks(), []);
    home.git.run(["prune", "--expire=now"]);
    assert.deepEqual(home.leftovers(), []);
    home.check();
    test.diagnostic?.(`${KILLS} kills, ${left} locks left`);
  });

  it("neither blocks other writers nor lets them in too early", async (test) => {
    const commit = await writeCommit(home.open(), "Killed");
    const living = ["a", "b"].map((name) => ({ name, child: startWriting(home.root, name, LIVING_CHANGES) }));
    let isOver = false;
    const ended = Promise.all(living.map(({ child }) => child.ended)).finally(() => isOver = true);
    let kills = 0;
    for (; !isOver; kills++) {
      const child = await startLocking(home.root, `refs/heads/killed-${kills}`, commit);
      await child.kill();
    }
    assert.deepEqual(await ended, [0, 0], living.map(({ child }) => child.errors()).join());
    const promised = living.flatMap(({ name, child }) =>
      child.commits.map((commit): [string, string] => [ownRef(name, commit), commit])
    );
    assert.equal(promised.length, living.length * LIVING_CHANGES);
    assertKept(new Map(promised));
    home.check();
    test.diagnostic?.(`${kills} kills under a lock, ${promised.length} changes`);
  });
});

/** Writing: in which order, what becomes of refusals, of others who write at the same time, and of failures. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toChange } from "../../../src/cob/write/change.ts";
import { MAX_ENTRIES } from "../../../src/cob/entry/graph.ts";
import { LostUpdateWatcher } from "../../../src/cob/write/lost_update_watcher.ts";
import type { RepositoryToWrite } from "../../../src/cob/write/entry_draft.ts";
import { draftIssue } from "../../../src/cob/write/issue_request.ts";
import type { Issue, IssueAction } from "../../../src/cob/issue/issue.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { issueType } from "../../../src/cob/evaluation/object_types.ts";
import { ObjectStore } from "../../../src/cob/evaluation/store.ts";
import { listComments } from "../../../src/cob/issue/thread.ts";
import { createDocsByCommit } from "../../../src/cob/evaluation/evaluation_context.ts";
import { CoreError, type CoreErrorName, UnauthorizedError } from "../../../src/errors.ts";
import { parseCommit } from "../../support/commits.ts";
import { parseTree } from "../../../src/git/tree.ts";
import { createSigrefsCache, SigrefsReader } from "../../../src/identity/sigrefs.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { Committer, WritableRepository } from "../../../src/ports/storage.ts";
import { WriteError, type WriteObstacle } from "../../../src/ports/write_error.ts";
import { signerOf } from "../../support/keys.ts";
import { putCommit } from "../../support/world.ts";
import { createFixtureWorld, createWriter, type FixtureWorld } from "../fixture_world.ts";
import { Task } from "../../../src/scheduling/task.ts";

const STRANGER_SECRET = "ab".repeat(32);
const ISSUE = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
const is = (name: CoreErrorName) => (error: unknown) => error instanceof CoreError && error.name === name;
const edit = (title: string): IssueAction => ({ type: "edit", title });

/** A repository with an issue, and what changes it. `watch` may stand between the writer and the repository. */
async function createSetting(
  watch: (world: FixtureWorld) => WritableRepository = (world) => world.repository,
  options: Parameters<typeof createWriter>[1] = {},
) {
  const world = await createFixtureWorld();
  const { writer, place, issues, log } = createWriter(world, options);
  const open = async (draft = ISSUE) =>
    writer.create(issues, place, await draftIssue(world.repository, draft));
  const issue = await open();
  const watched = { ...place, objects: watch(world) };
  const change = (action: IssueAction, at: RepositoryToWrite = watched) =>
    writer.update(issues, at, issue, () => toChange(world.repository, action));
  const ref = `refs/namespaces/${world.signer.nodeId}/refs/cobs/xyz.radicle.issue/${issue}`;
  return {
    world,
    writer,
    place,
    issues,
    log,
    issue,
    open,
    change,
    ref,
    tip: () => world.repository.ref(ref)?.oid,
    state: async () =>
      (await issues.get({ objects: world.repository, graph: place.graph, task: new Task() }, issue))!.state,
    signed: async () =>
      (await new SigrefsReader(world.repository, createSigrefsCache(), new Task()).read(
        world.signer.nodeId,
      ))!,
  };
}

/** All references of a repository. */
function census({ repository }: FixtureWorld): unknown {
  return repository.refs("refs/");
}

/** How many commits there are in a row, each the first parent of the one before. */
function commitsBelow({ repository }: FixtureWorld, name: string): number {
  let count = 0;
  for (let at = repository.ref(name)?.oid; at !== undefined; count++) {
    [at] = parseCommit(repository.object(at)!.bytes).parents;
  }
  return count;
}

describe("a change", () => {
  it("is stored, then referred to, then signed, each before the next", async () => {
    const calls: string[] = [];
    const { change } = await createSetting(({ repository }) => ({
      ...repository,
      updateRef(name, change) {
        const shown = name.replace(/.*\/refs\//, "").replace(/[0-9a-f]{40}/, "<id>");
        calls.push(`store ${change.objects?.at(-1)?.kind} and point ${shown}`);
        return repository.updateRef(name, change);
      },
    }));
    await change(edit("x"));
    assert.deepEqual(calls, [
      "store commit and point cobs/xyz.radicle.issue/<id>",
      "store commit and point rad/sigrefs",
    ]);
  });

  it("is seen by the next reader and stands in the signed references", async () => {
    const { change, state, signed, ref, tip } = await createSetting();
    const entry = await change(edit("x"));
    assert.equal((await state()).title, "x");
    assert.equal(tip(), entry);
    assert.equal(
      (await signed()).get(ref.slice(ref.indexOf("refs/cobs/"))),
      entry,
    );
  });

  it("extends the evaluation instead of starting again", async () => {
    const { world, place, issue } = await createSetting();
    let opened = 0;
    const counting: typeof issueType = {
      ...issueType,
      open: (op, rules) => (opened++, issueType.open(op, rules)),
    };
    const store = new ObjectStore(counting, RULES["2024"], { docs: createDocsByCommit(), log: () => {} });
    const { writer } = createWriter(world);
    for (const title of ["a", "b", "c"]) {
      await writer.update(store, place, issue, () => toChange(world.repository, edit(title)));
    }
    assert.equal(
      (await store.get({ objects: world.repository, graph: place.graph, task: new Task() }, issue))?.state
        .title,
      "c",
    );
    assert.equal(opened, 1);
  });

  it("waits for those before it, and stands on top of them", async () => {
    const { change, state, issue } = await createSetting();
    const bodies = Array.from({ length: 20 }, (_, i) => `comment ${i}`);
    await Promise.all(bodies.map((body) => change({ type: "comment", body, replyTo: issue, embeds: [] })));
    assert.deepEqual(listComments((await state()).thread).slice(1).map(({ edits }) => edits[0].body), bodies);
  });

  it("is signed together with those that waited with it", async () => {
    const { change, signed, ref, tip, world, issue } = await createSetting();
    const signings = () => commitsBelow(world, `refs/namespaces/${world.signer.nodeId}/refs/rad/sigrefs`);
    const before = signings();
    const bodies = ["a", "b", "c"];
    await Promise.all(bodies.map((body) => change({ type: "comment", body, replyTo: issue, embeds: [] })));
    assert.equal(signings(), before + 1);
    assert.equal((await signed()).get(ref.slice(ref.indexOf("refs/cobs/"))), tip());
    await change(edit("x"));
    assert.equal(signings(), before + 2);
  });

  it("is not read back", async () => {
    const { change, state, world, issues, place, issue } = await createSetting();
    await change(edit("x"));
    const blind: WritableRepository = {
      ...world.repository,
      object: () => assert.fail("read"),
      objects: () => assert.fail("read"),
    };
    assert.equal(
      (await issues.get({ objects: blind, graph: place.graph, task: new Task() }, issue))!.state.title,
      "x",
    );
    assert.equal((await state()).title, "x");
  });

  it("goes on top of what others wrote", async () => {
    const { world, place, issue, change, issues, writer } = await createSetting();
    const stranger = await signerOf(STRANGER_SECRET);
    const theirs = await writer.update(
      issues,
      { ...place, signer: stranger },
      issue,
      () => toChange(world.repository, { type: "comment", body: "hi", replyTo: issue, embeds: [] }),
    );
    const ours = await change(edit("x"));
    assert.deepEqual(parseCommit(world.repository.object(ours)!.bytes).parents, [theirs, world.identity]);
  });

  it("that has no effect is written all the same", async () => {
    const { change, tip } = await createSetting();
    await change(edit("t"));
    const entry = await change(edit("t"));
    assert.equal(tip(), entry);
  });
});

/** Others set the node's reference to an entry of theirs that stands on an earlier one, without a look at where it leads by then. */
describe("what others have overwritten", () => {
  const comment = (body: string, replyTo: Oid): IssueAction => ({
    type: "comment",
    body,
    replyTo,
    embeds: [],
  });
  const bodies = (issue: Issue) =>
    listComments(issue.thread).slice(1).map(({ edits }) => edits[0].body).sort();

  /** An issue with an entry of ours that an entry of theirs has taken the place of. */
  async function createOverwritten() {
    const watcher = new LostUpdateWatcher(() => 0, () => () => {});
    const setting = await createSetting(undefined, { watcher });
    const { world, issue, ref, tip, change } = setting;
    const theirs = await change(comment("theirs", issue));
    world.repository.setRef(ref, issue);
    // Somebody whose service has not written theirs.
    const { writer, issues, place } = createWriter(world, { watcher });
    const write = (body: string) =>
      writer.update(issues, place, issue, () => toChange(world.repository, comment(body, issue)));
    const ours = await write("ours");
    const state = async () =>
      (await issues.get({ objects: world.repository, graph: place.graph, task: new Task() }, issue))!;
    world.repository.setRef(ref, theirs);
    const parents = () => parseCommit(world.repository.object(tip()!)!.bytes).parents.slice(0, -1);
    return { ...setting, watcher, issues, place, theirs, ours, write, state, parents };
  }

  it("is still read", async () => {
    const { state } = await createOverwritten();
    assert.deepEqual(bodies((await state()).state), ["ours", "theirs"]);
  });

  it("is joined with theirs at the next check, by an entry that changes nothing, and signed", async () => {
    const { watcher, state, parents, ours, theirs, signed, ref, tip, world, issue } =
      await createOverwritten();
    const { thread: before, ...others } = (await state()).state;
    await watcher.check();
    assert.deepEqual(parents(), [ours, theirs].sort());
    const { thread, ...othersAfter } = (await state()).state;
    assert.deepEqual([thread.comments, othersAfter], [before.comments, others]);
    assert.equal((await signed()).get(ref.slice(ref.indexOf("refs/cobs/"))), tip());
    const afresh = createWriter(world);
    const reread = await afresh.issues.get({
      objects: world.repository,
      graph: afresh.place.graph,
      task: new Task(),
    }, issue);
    assert.deepEqual(bodies(reread!.state), ["ours", "theirs"]);
  });

  it("is joined once, and again when that is overwritten", async () => {
    const { watcher, tip, ref, world, theirs, state } = await createOverwritten();
    await watcher.check();
    const joined = tip();
    await watcher.check();
    assert.equal(tip(), joined);
    world.repository.setRef(ref, theirs);
    await watcher.check();
    assert.notEqual(tip(), theirs);
    assert.deepEqual(bodies((await state()).state), ["ours", "theirs"]);
  });

  it("is joined by the next change", async () => {
    const { watcher, write, parents, ours, theirs, tip } = await createOverwritten();
    const next = await write("next");
    assert.deepEqual(parents(), [ours, theirs].sort());
    await watcher.check();
    assert.equal(tip(), next);
  });

  it("stays deleted when the object is", async () => {
    const { watcher, world, ref, tip, state } = await createOverwritten();
    world.repository.deleteRef(ref);
    await watcher.check();
    assert.equal(tip(), undefined);
    await assert.rejects(state().then(({ state }) => state));
  });

  it("gives way when its objects are gone", async () => {
    const { watcher, issues, world, place, ref, theirs, issue } = await createOverwritten();
    issues.pins.pin(world.rid, ref, "e".repeat(40) as Oid);
    assert.equal(
      await issues.get({ objects: world.repository, graph: place.graph, task: new Task() }, issue),
      undefined,
    );
    await watcher.check();
    assert.deepEqual(
      (await issues.get({ objects: world.repository, graph: place.graph, task: new Task() }, issue))!.tips,
      [theirs],
    );
  });

  it("needs no joining when they stand on top of it", async () => {
    const { watcher, change, issue, tip, world, ref } = await createSettingWithWatcher();
    const ours = await change(comment("ours", issue));
    const other = createWriter(world);
    const theirs = await other.writer.update(
      other.issues,
      other.place,
      issue,
      () => toChange(world.repository, comment("theirs", issue)),
    );
    await watcher.check();
    assert.equal(tip(), theirs);
    // From then on theirs is looked after.
    world.repository.setRef(ref, ours);
    await watcher.check();
    assert.notEqual(tip(), ours);
  });

  async function createSettingWithWatcher() {
    const watcher = new LostUpdateWatcher(() => 0, () => () => {});
    return { ...await createSetting(undefined, { watcher }), watcher };
  }
});

describe("a refused change", () => {
  const CASES: readonly (readonly [what: string, name: CoreErrorName, action: IssueAction])[] = [
    ["nobody may make", "ConflictError", { type: "comment.redact", id: "" as Oid }],
    ["about an unknown comment", "NotFoundError", {
      type: "comment.react",
      id: "f".repeat(40) as Oid,
      reaction: "✨",
      active: true,
    }],
    ["that its object cannot take", "ConflictError", edit("two\nlines")],
  ];
  for (const [what, code, action] of CASES) {
    it(`${what} leaves nothing behind`, async () => {
      const setting = await createSetting((world) => ({
        ...world.repository,
        writeObjects: () => assert.fail("wrote objects"),
        updateRef: () => assert.fail("moved a reference"),
      }));
      const before = census(setting.world);
      const named = "id" in action && action.id === "" ? { ...action, id: setting.issue } : action;
      await assert.rejects(() => setting.change(named), is(code));
      assert.deepEqual(census(setting.world), before);
    });
  }

  it("of a node that is no delegate leaves nothing behind", async () => {
    const { world, place, change } = await createSetting();
    const before = census(world);
    const stranger = await signerOf(STRANGER_SECRET);
    await assert.rejects(() => change(edit("x"), { ...place, signer: stranger }), is("ForbiddenError"));
    assert.deepEqual(census(world), before);
  });

  it("does not keep the next from its turn", async () => {
    const { change, state } = await createSetting();
    const [refused] = await Promise.allSettled([change(edit("two\nlines")), change(edit("x"))]);
    assert.equal(refused?.status, "rejected");
    assert.equal((await state()).title, "x");
  });

  it("of an object that is not there says so", async () => {
    const { world, writer, issues, place } = await createSetting();
    const plan = () => toChange(world.repository, edit("x"));
    await assert.rejects(
      () => writer.update(issues, place, "f".repeat(40) as Oid, plan),
      is("NotFoundError"),
    );
  });

  it("of an object that is full says so", async () => {
    const { world, writer, place, issue } = await createSetting();
    class FullStore extends ObjectStore<Issue> {
      override async get(...args: Parameters<ObjectStore<Issue>["get"]>) {
        const found = await super.get(...args);
        return found && { ...found, size: MAX_ENTRIES };
      }
    }
    const store = new FullStore(issueType, RULES["2024"], { docs: createDocsByCommit(), log: () => {} });
    await assert.rejects(
      () => writer.update(store, place, issue, () => toChange(world.repository, edit("x"))),
      is("ConflictError"),
    );
  });

  it("in a repository without identity says so", async () => {
    const { world, change } = await createSetting();
    world.repository.deleteRef("refs/rad/id");
    await assert.rejects(() => change(edit("x")), is("NotFoundError"));
  });
});

describe("opening an object", () => {
  it("twice in a second with the same content gives the same id, and leaves it where it has got to", async () => {
    const { open, issue, change, tip } = await createSetting();
    const entry = await change(edit("x"));
    assert.equal(await open(), issue);
    assert.equal(tip(), entry);
  });

  it("for a second time signs what a crash has left unsigned", async () => {
    const { world, open, signed, issue } = await createSetting();
    const name = `refs/cobs/xyz.radicle.issue/${issue}`;
    const sigrefs = `refs/namespaces/${world.signer.nodeId}/refs/rad/sigrefs`;
    const first = world.repository.ref(sigrefs)!.oid!;
    await open({ ...ISSUE, title: "other" });
    world.repository.setRef(sigrefs, first);
    await open({ ...ISSUE, title: "other" });
    assert.equal((await signed()).size, 5);
    assert.ok((await signed()).has(name));
  });

  it("is refused to others than delegates by the newest rules when it has labels or assignees", async () => {
    for (
      const [rules, name] of [["newest", "ForbiddenError"], ["2024", undefined]] as const
    ) {
      const world = await createFixtureWorld();
      const { writer, place, issues } = createWriter(world, { rules });
      const stranger = await signerOf(STRANGER_SECRET);
      const by = { ...place, signer: stranger };
      for (const draft of [{ labels: ["l"] }, { assignees: [didOfNid(stranger.nodeId)] }]) {
        const change = await draftIssue(world.repository, { ...ISSUE, ...draft });
        if (name === undefined) assert.ok(await writer.create(issues, by, change));
        else await assert.rejects(() => writer.create(issues, by, change), is(name));
      }
      assert.ok(await writer.create(issues, by, await draftIssue(world.repository, ISSUE)));
    }
  });
});

describe("another program that writes at the same time", () => {
  type Setting = Awaited<ReturnType<typeof createSetting>>;

  /** Labels the issue, as another process with the same key would. */
  const addTheirs = ({ world, issues, place, issue }: Setting) =>
    createWriter(world).writer.update(
      issues,
      place,
      issue,
      () => toChange(world.repository, { type: "label", labels: ["theirs"] }),
    );

  const readDoc = ({ repository, identity }: FixtureWorld) => {
    const { tree } = parseCommit(repository.object(identity)!.bytes);
    const entries = parseTree(repository.object(tree)!.bytes);
    const embeds = entries.find(({ name }) => new TextDecoder().decode(name) === "embeds")!.oid;
    return repository.object(parseTree(repository.object(embeds)!.bytes)[0]!.oid)!.bytes;
  };

  /** A repository in which `race` happens before the writer moves a reference of an object, for so many times. */
  const racing =
    (race: (world: FixtureWorld) => void | Promise<void>, times = 1) => (world: FixtureWorld) => ({
      ...world.repository,
      async updateRef(name: string, change: { from: Oid | undefined; to: Oid }) {
        if (name.includes("/cobs/") && times-- > 0) await race(world);
        return world.repository.updateRef(name, change);
      },
    });

  it("is not lost: the change is made again on top of theirs", async () => {
    let theirs: Oid | undefined;
    const setting = await createSetting(racing(async () => {
      theirs = await addTheirs(setting);
    }));
    const ours = await setting.change(edit("ours"));
    const parents = parseCommit(setting.world.repository.object(ours)!.bytes).parents;
    assert.deepEqual(parents, [theirs, setting.world.identity]);
    const { title, labels } = await setting.state();
    assert.deepEqual([title, labels], ["ours", ["theirs"]]);
  });

  it("may make the change impossible: it is judged again", async () => {
    const setting = await createSetting(racing(async ({ repository }) => {
      await addTheirs(setting);
      const doc = new TextDecoder().decode(readDoc(setting.world));
      const stranger = await signerOf(STRANGER_SECRET);
      const changed = doc.replace(setting.world.signer.nodeId, stranger.nodeId);
      const folder = { embeds: { "radicle.json": changed } };
      repository.setRef("refs/rad/id", putCommit(repository, { folder, message: "Another delegate\n" }));
    }));
    await assert.rejects(() => setting.change({ type: "label", labels: ["x"] }), is("ForbiddenError"));
    assert.deepEqual((await setting.state()).labels, ["theirs"]);
  });

  it("without end makes it give up", async () => {
    let races = 0;
    const setting = await createSetting(racing(async () => {
      races++;
      await addTheirs(setting);
    }, Infinity));
    await assert.rejects(() => setting.change(edit("x")), is("UnavailableError"));
    assert.ok(races > 20 && races < 1000, `${races} attempts`);
  });
});

describe("a failure", () => {
  for (const obstacle of ["busy", "denied", "full", "conflict"] as const satisfies readonly WriteObstacle[]) {
    it(`to write (${obstacle}) is reported without messages of the storage, and logged`, async () => {
      const { change, log } = await createSetting(({ repository }) => ({
        ...repository,
        updateRef() {
          throw new WriteError(obstacle, "/secret/path");
        },
      }));
      await assert.rejects(
        () => change(edit("x")),
        (error) => is("UnavailableError")(error) && !String(error).includes("/secret"),
      );
      assert.deepEqual(log, ["Cannot write"]);
    });
  }

  it("to sign leaves the change standing; the next one is signed along with it", async () => {
    let isFull = true;
    const setting = await createSetting(({ repository }) => ({
      ...repository,
      updateRef(name, change) {
        if (isFull && name.endsWith("/sigrefs")) throw new WriteError("full", "no room");
        return repository.updateRef(name, change);
      },
    }));
    const before = await setting.signed();
    await setting.change(edit("x"));
    assert.equal((await setting.state()).title, "x");
    assert.deepEqual(await setting.signed(), before);
    assert.match(setting.log.join(), /Cannot sign/);
    isFull = false;
    const entry = await setting.change(edit("y"));
    assert.ok([...(await setting.signed()).values()].includes(entry));
  });

  it("of the key before anything is written is reported", async () => {
    const { place, change, tip, issue } = await createSetting();
    const signer = {
      nodeId: place.signer.nodeId,
      sign: () => Promise.reject(new UnauthorizedError("Unauthorized")),
    };
    await assert.rejects(() => change(edit("x"), { ...place, signer }), is("UnauthorizedError"));
    assert.equal(tip(), issue);
  });

  it("to announce is logged, and nothing else", async () => {
    const { change, log, state } = await createSetting(undefined, {
      onWritten() {
        throw new Error("no network");
      },
    });
    await change(edit("x"));
    assert.equal((await state()).title, "x");
    assert.match(log.at(-1)!, /^Cannot announce rad:z/);
  });
});

describe("after a change", () => {
  it("the network gets an announcement, and not after a refusal", async () => {
    const told: string[] = [];
    const { world, change, open } = await createSetting(undefined, {
      onWritten: (rid) => void told.push(rid),
    });
    await change(edit("x"));
    await change(edit("two\nlines")).catch(() => {});
    await open({ ...ISSUE, title: "other" });
    assert.deepEqual(told, Array(3).fill(world.rid));
  });
});

describe("commits", () => {
  const personOf = async (committer?: Committer, alias?: string) => {
    const { world, change, place } = await createSetting(
      ({ repository }) => ({ ...repository, ...(committer && { committer: () => committer }) }),
      alias === undefined
        ? {}
        : { profile: { nodeId: (await createFixtureWorld()).signer.nodeId, alias, pinned: () => [] } },
    );
    const { author } = parseCommit(world.repository.object(await change(edit("x")))!.bytes);
    return `${author.name} <${author.email}>`.replace(place.signer.nodeId, "NID").replace(
      place.signer.nodeId,
      "NID",
    );
  };

  it("bear the name that the storage keeps", async () => {
    assert.equal(await personOf({ name: "hana", email: "hana@example.org" }), "hana <hana@example.org>");
  });

  it("have the alias of the node when the storage has none", async () => {
    assert.equal(await personOf(), "seed <seed@NID>");
  });

  it("bear nothing that would break them", async () => {
    assert.equal(await personOf({ name: "<ha\nna>", email: "\0" }), "hana <NID>");
    assert.equal(await personOf(undefined, "a<b>"), "ab <ab@NID>");
  });

  it("bear names as libgit2 trims them", async () => {
    assert.equal(
      await personOf({ name: " \t'Acme, Inc',;", email: "\ufeffa\u0085" }),
      "Acme, Inc <\ufeffa\u0085>",
    );
  });
});

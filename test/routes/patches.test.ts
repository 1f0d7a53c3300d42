/** Routes of patches: lists, states, merges, references of revisions (4.4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createWriter, ENTRY_SECONDS, putEntry, setTip, type Writer } from "../cob/entries.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  BOB_SEED,
  createRepository,
  createWorld,
  publish,
  putCommit,
  setHead,
  type World,
} from "../support/world.ts";
import { TRIES_ALL } from "../support/cases.ts";

const PATCH = "xyz.radicle.patch";
/** The only delegate of the world's repositories. */
const alice = createWriter(0xff);
const bob = createWriter(0xfe);

function put(
  world: World,
  writer: Writer,
  actions: readonly unknown[],
  more: { object?: Oid; parents?: Oid[]; timeSeconds?: number; related?: Oid[] } = {},
): Oid {
  const entry = putEntry(world.hello, {
    writer,
    type: PATCH,
    actions,
    resource: world.hello.ref("refs/rad/id")!.oid!,
    ...more,
  });
  setTip(world.hello, writer.nid, more.object ?? entry, entry, PATCH);
  return entry;
}

function open(world: World, title: string, timeSeconds: number, ...more: unknown[]): Oid {
  const [base, , oid] = world.commits;
  return put(world, alice, [
    { type: "revision", description: "", base, oid },
    { type: "edit", title, target: "delegates" },
    ...more,
  ], { timeSeconds, related: [base, oid].sort() });
}

const state = (status: string) => ({ type: "lifecycle", state: { status } });

/** A world with patches in each state. */
function createPatches() {
  const world = createWorld();
  const opened = open(world, "open", ENTRY_SECONDS + 1);
  const draft = open(world, "draft", ENTRY_SECONDS + 2, state("draft"));
  const archived = open(world, "archived", ENTRY_SECONDS + 3, state("archived"));
  const merged = open(world, "merged", ENTRY_SECONDS + 4);
  put(world, alice, [{ type: "merge", revision: merged, commit: world.commits[1] }], {
    object: merged,
    parents: [merged],
    related: [world.commits[1]],
  });
  const { get, log } = createTestApi({}, world);
  const list = `/projects/${world.helloRid}/patches`;
  return { world, opened, draft, archived, merged, get, log, list };
}

/** A merged patch with everything that a patch can have, and how it is shown (2.10). */
function createBusyPatch() {
  const world = createWorld();
  const [base, head, next] = world.commits;
  const writers = [2, 3].map((seed) => ({ ...createWriter(seed), seed: new Uint8Array(32).fill(seed) }));
  const [bob, carol] = writers.sort((a, b) => a.nid < b.nid ? -1 : 1) as [
    typeof writers[0],
    typeof writers[0],
  ];
  const location = {
    commit: head,
    path: "README.md",
    old: null,
    new: { type: "lines", range: { start: 1, end: 3 } },
  };
  let [id, last] = [undefined as Oid | undefined, undefined as Oid | undefined];
  let seconds = ENTRY_SECONDS;
  const add = (writer: Writer, action: object, related: Oid[] = [], ...more: object[]) => {
    const entry = put(world, writer, [action, ...more], {
      ...id !== undefined && { object: id },
      parents: last === undefined ? [] : [last],
      timeSeconds: ++seconds,
      related: related.sort(),
    });
    id ??= entry;
    return last = entry;
  };
  const first = add(
    bob,
    { type: "revision", description: "Description", base, oid: head },
    [base, head],
    { type: "edit", title: "Title", target: "delegates" },
  );
  const second = add(carol, { type: "revision", description: "Second", base, oid: next }, [base, next]);
  const comment = add(carol, { type: "revision.comment", revision: second, body: "on the revision" });
  const review = add(carol, { type: "review", revision: second, summary: "fine", verdict: "accept" });
  const one = add(carol, { type: "review.comment", review, body: "in the review" });
  const two = add(bob, { type: "review.comment", review, body: "Why?", reply_to: one, location });
  add(carol, { type: "revision.react", revision: second, location, reaction: "👍", active: true });
  add(bob, { type: "revision.react", revision: second, reaction: "🚀", active: true });
  add(bob, { type: "review.comment.resolve", review, comment: two });
  add(carol, { type: "review.comment.react", review, comment: two, reaction: "👍", active: true });
  add(alice, { type: "label", labels: ["x"] });
  add(alice, { type: "assign", assignees: [didOfNid(carol.nid)] });
  add(alice, { type: "merge", revision: first, commit: head }, [head]);
  publish(world.hello, bob.seed, { a: head, b: next }, { "refs/tags/c": head });
  const [author, friend] = [bob, carol].map(({ nid }) => ({ id: didOfNid(nid) })) as [object, object];
  const at = (n: number) => ENTRY_SECONDS + n;
  const text = (body: string, who: object, n: number) => ({
    author: who,
    body,
    timestamp: at(n),
    embeds: [],
  });
  const shown = {
    id: first,
    author,
    title: "Title",
    state: { status: "merged", revision: first, commit: head },
    target: "delegates",
    labels: ["x"],
    merges: [{ author: { id: didOfNid(alice.nid) }, commit: head, timestamp: at(13), revision: first }],
    assignees: [didOfNid(carol.nid)],
    revisions: [
      {
        id: first,
        author,
        description: "Description",
        edits: [text("Description", author, 1)],
        reactions: [],
        base,
        oid: head,
        refs: ["refs/heads/a", "refs/tags/c"],
        discussions: [],
        timestamp: at(1),
        reviews: [],
      },
      {
        id: second,
        author: friend,
        description: "Second",
        edits: [text("Second", friend, 2)],
        reactions: [
          { location: null, emoji: "🚀", authors: [bob.nid] },
          { location, emoji: "👍", authors: [carol.nid] },
        ],
        base,
        oid: next,
        refs: ["refs/heads/b"],
        discussions: [{
          id: comment,
          author: friend,
          body: "on the revision",
          edits: [text("on the revision", friend, 3)],
          embeds: [],
          reactions: [],
          timestamp: at(3),
          replyTo: null,
          location: null,
          resolved: false,
        }],
        timestamp: at(2),
        reviews: [{
          id: review,
          author: friend,
          verdict: "accept",
          summary: "fine",
          comments: [
            [one, {
              author: carol.nid,
              location: null,
              reactions: [],
              resolved: false,
              body: "in the review",
              embeds: [],
              replyTo: null,
              timestamp: at(5),
              edits: [text("in the review", friend, 5)],
            }],
            [two, {
              author: bob.nid,
              location,
              reactions: [[carol.nid, "👍"]],
              resolved: true,
              body: "Why?",
              embeds: [],
              replyTo: one,
              timestamp: at(6),
              edits: [text("Why?", author, 6)],
            }],
          ],
          timestamp: at(4),
        }],
      },
    ],
  } as const;
  return { world, shown, bob, carol, location, list: `/projects/${world.helloRid}/patches` };
}

describe("GET /projects/:project/patches", () => {
  it("lists patches by state, open ones if nothing is said", async () => {
    const { get, list } = createPatches();
    for (
      const [query, titles] of [
        ["", ["open"]],
        ["?state=open", ["open"]],
        ["?state=draft", ["draft"]],
        ["?state=archived", ["archived"]],
        ["?state=merged", ["merged"]],
        ["?state=all", ["merged", "archived", "draft", "open"]],
        ["?state=all&perPage=1&page=2", ["draft"]],
      ] as const
    ) {
      const { body } = await get(`${list}${query}`);
      assert.deepEqual(body.map((patch: { title: string }) => patch.title), titles, query);
    }
  });

  for (const query of ["state=", "state=closed", "state=Merged", "perPage=-1"]) {
    it(`refuses ?${query}`, async () => {
      const { get, list } = createPatches();
      assert.equal((await get(`${list}?${query}`)).status, 400);
    });
  }

  it("shows private ones to the owner alone", async () => {
    const { world, get } = createPatches();
    assert.equal((await get(`/projects/${world.secretRid}/patches`, STRANGER)).status, 404);
    assert.deepEqual((await get(`/projects/${world.secretRid}/patches`, OWNER)).body, []);
  });

  it("counts them in the project (2.2)", async () => {
    const { world, get } = createPatches();
    const { body } = await get(`/projects/${world.helloRid}`);
    assert.deepEqual(body.patches, { open: 1, draft: 1, archived: 1, merged: 1 });
  });
});

describe("GET /projects/:project/patches/:id", () => {
  it("shows a patch, merged when the delegate's branch holds the commit", async () => {
    const { get, list, merged, world } = createPatches();
    const { status, body } = await get(`${list}/${merged}`);
    assert.equal(status, 200);
    assert.deepEqual(body.state, { status: "merged", revision: merged, commit: world.commits[1] });
    assert.equal(body.merges.length, 1);
  });

  it("names signed references of the author to each revision's commit", async () => {
    const { get, list, opened, world } = createPatches();
    const refs = async () => (await get(`${list}/${opened}`)).body.revisions[0].refs;
    assert.deepEqual(await refs(), ["refs/heads/master"]);
    const head = world.commits[2];
    publish(world.hello, ALICE_SEED, { master: head, "patches/1": head }, {
      "refs/tags/x": world.commits[0],
    });
    assert.deepEqual(await refs(), ["refs/heads/master", "refs/heads/patches/1"]);
  });

  it("names no references when the author signed none, or they do not verify", async () => {
    const { get, list, opened, world } = createPatches();
    const ref = `refs/namespaces/${alice.nid}/refs/rad/sigrefs`;
    const refs = async () => (await get(`${list}/${opened}`)).body.revisions[0].refs;
    world.hello.setRef(ref, world.commits[0]);
    assert.deepEqual(await refs(), []);
    world.hello.deleteRef(ref);
    assert.deepEqual(await refs(), []);
  });

  it("shows a patch as specified (2.10), with what newer clients need besides", async () => {
    const { world, list, shown } = createBusyPatch();
    const { body } = await createTestApi({}, world).get(`${list}/${shown.id}`);
    assert.equal(JSON.stringify(body), JSON.stringify(shown));
  });

  it("shows review comments like others for newer clients", async () => {
    const { world, list, shown, bob, carol, location } = createBusyPatch();
    const { revisions } =
      (await createTestApi({ compatibility: { answers: "objects" } }, world).get(`${list}/${shown.id}`)).body;
    const [id, comment] = shown.revisions[1].reviews[0].comments[1];
    assert.equal(
      JSON.stringify(revisions[1].reviews[0].comments[1]),
      JSON.stringify({
        id,
        author: { id: didOfNid(bob.nid) },
        body: "Why?",
        edits: comment.edits,
        embeds: [],
        reactions: [{ emoji: "👍", authors: [carol.nid] }],
        timestamp: comment.timestamp,
        replyTo: comment.replyTo,
        location,
        resolved: comment.resolved,
      }),
    );
    assert.deepEqual(revisions[1].reactions, shown.revisions[1].reactions);
  });

  it("shows the branch of a patch that is meant for one", async () => {
    const world = createWorld();
    const [base, , oid] = world.commits;
    const target = { branch: "refs/heads/stable" };
    const id = put(world, alice, [
      { type: "revision", description: "", base, oid },
      { type: "edit", title: "x", target },
    ], { related: [base, oid].sort() });
    const { body } = await createTestApi({}, world).get(`/projects/${world.helloRid}/patches/${id}`);
    assert.deepEqual(body.target, target);
  });

  it("shows conflicts of merges, which are ordered by author", async () => {
    const world = createWorld();
    const hello = createRepository(world.storage, { name: "two", delegates: [ALICE, BOB] });
    const [base, oid, tip] = ["one", "two", "three"].reduce<Oid[]>(
      (
        made,
        file,
      ) => [...made, putCommit(hello, { folder: { file }, parents: made.slice(-1), message: file })],
      [],
    ) as [Oid, Oid, Oid];
    setHead(hello, tip);
    for (const seed of [ALICE_SEED, BOB_SEED]) publish(hello, seed, { master: tip });
    const two = { ...world, hello };
    const id = put(two, alice, [
      { type: "revision", description: "", base, oid },
      { type: "edit", title: "x", target: "delegates" },
    ], { related: [base, oid].sort() });
    const { get } = createTestApi({}, two);
    const path = `/projects/${hello.rid}/patches/${id}`;
    const merge = (writer: Writer, commit: Oid, parent: Oid, timeSeconds: number) =>
      put(two, writer, [{ type: "merge", revision: id, commit }], {
        object: id,
        parents: [parent],
        timeSeconds,
        related: [commit],
      });
    assert.equal(JSON.stringify((await get(path)).body.state), '{"status":"open"}');
    const [later, earlier] = ALICE < BOB ? [alice, bob] : [bob, alice];
    const first = merge(earlier, oid, id, ENTRY_SECONDS + 1);
    merge(later, tip, first, ENTRY_SECONDS + 2);
    const { state, merges } = (await get(path)).body;
    assert.deepEqual(state, { status: "open", conflicts: [oid, tip].sort().map((commit) => [id, commit]) });
    assert.deepEqual(
      merges.map(({ author }: { author: { id: string } }) => author.id),
      [later, earlier].map(({ nid }) => didOfNid(nid)),
    );
    assert.deepEqual((await get(`/projects/${hello.rid}`)).body.patches, {
      open: 1,
      draft: 0,
      archived: 0,
      merged: 0,
    });
  });

  it("knows no other objects", async () => {
    const { get, list, world } = createPatches();
    for (const id of ["a".repeat(40), world.commits[0]]) {
      assert.deepEqual((await get(`${list}/${id}`)).body, { error: "Not Found", code: 404 });
    }
    assert.equal((await get(`${list}/xyz`)).status, 400);
  });

  it("shows what several nodes wrote", async () => {
    const { get, list, opened, world } = createPatches();
    const review = put(world, bob, [{ type: "review", revision: opened, verdict: "accept" }], {
      object: opened,
      parents: [opened],
    });
    const { body } = await get(`${list}/${opened}`);
    assert.deepEqual(body.revisions[0].reviews.map((found: { id: Oid }) => found.id), [review]);
  });
});

// It computes, from megabytes of objects in memory.
describe("a patch with more text than is shown", { skip: !TRIES_ALL }, () => {
  const long = (seed: string) => `${seed} ${'"é😀\n'.repeat(40_000)}`;
  const FILLERS = 60;
  const FILLER = "y".repeat(560_000);

  it("has all texts of its author in both dialects, of all kinds, whatever strangers write", async () => {
    const world = createWorld();
    const [base, , oid] = world.commits;
    const embeds = Array.from({ length: 9 }, (_, i) => ({ name: `${i}`, content: `git:${long("e")}` }));
    const location = {
      path: `${"folder/".repeat(60)}file`,
      old: null,
      new: { type: "lines", range: { start: 1, end: 3 } },
      commit: oid,
    };
    const title = "title ".repeat(1000);
    const object = put(world, alice, [
      { type: "revision", description: long("description"), base, oid },
      { type: "edit", title: "first", target: "delegates" },
    ], { related: [base, oid].sort() });
    let tip = object;
    const add = (...actions: unknown[]) =>
      tip = put(world, alice, actions, { object, parents: [tip], related: [oid] });
    const comment = add(
      { type: "edit", title, target: "delegates" },
      { type: "revision.edit", revision: object, description: long("edited"), embeds },
      { type: "revision.react", revision: object, location, reaction: "👍", active: true },
      { type: "revision.comment", revision: object, body: long("comment"), location, embeds },
    );
    const review = add({ type: "review", revision: object, summary: long("summary"), labels: ["a"] });
    const reviewed = add({ type: "review.comment", review, body: long("in review"), location });
    add(
      { type: "revision.comment.edit", revision: object, comment, body: long("better"), embeds: [] },
      { type: "revision.comment.edit", revision: object, comment, body: long("best"), embeds: [] },
      { type: "review.comment.edit", review, comment: reviewed, body: long("better in review"), embeds: [] },
      { type: "review.edit", review, summary: long("new summary"), verdict: "accept" },
    );
    const lists = ["projects", "repos"].map((name) => `/${name}/${world.helloRid}/patches`);
    const small = createTestApi({ api: "both" }, world);
    const expected = [];
    for (const list of lists) expected.push((await small.get(`${list}/${object}`)).body);
    for (const patch of expected) assert.deepEqual([patch.title, "truncated" in patch], [title, false]);
    for (let i = 0; i < FILLERS; i++) {
      const filler = { type: "revision.comment", revision: object, body: FILLER };
      tip = put(world, bob, [filler], { object, parents: [tip], related: [oid] });
    }
    const { get } = createTestApi({ api: "both" }, world);
    for (const [i, list] of lists.entries()) {
      const [listed] = (await get(list)).body;
      assert.deepEqual([listed.truncated, listed.revisions[0].truncated], [true, true]);
      const { status, body } = await get(`${list}/${object}`);
      const { discussions } = body.revisions[0];
      assert.equal(status, 200);
      const fillers: { body: string; truncated?: true }[] = discussions.splice(1);
      const long = fillers.filter(({ body }) => body === FILLER).length;
      assert.ok(fillers.length === FILLERS && long > 20 && long < FILLERS);
      for (const { body, truncated } of fillers) assert.equal(body === FILLER, truncated === undefined);
      assert.deepEqual(body, { ...expected[i], truncated: true });
    }
  });
});

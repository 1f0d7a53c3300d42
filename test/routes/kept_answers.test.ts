/** Answers on issues and patches that were given before: the same for as long as nothing has changed, never a moment longer, never to others. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Ref } from "../../src/ports/storage.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createWriter, ENTRY_SECONDS, putEntry, setTip } from "../cob/entries.ts";
import { createTestApi, OWNER, STRANGER, type TestApi } from "../support/api.ts";
import { ALICE, ALICE_SEED, createWorld, publish, type World } from "../support/world.ts";

const PATCH = "xyz.radicle.patch";
const alice = createWriter(0xff);

/** Has a repository return an array again while it holds the same, as the storage of a home does. */
function keepRefs(repository: MemoryRepository): void {
  const refs = repository.refs.bind(repository);
  const known = new Map<string, { readonly text: string; readonly refs: readonly Ref[] }>();
  repository.refs = (prefix) => {
    const found = refs(prefix);
    const text = JSON.stringify(found);
    const before = known.get(prefix);
    if (before?.text === text) return before.refs;
    known.set(prefix, { text, refs: found });
    return found;
  };
}

describe("an answer on issues and patches", () => {
  const names = new Map<NodeId, string>();
  let world: World;
  let api: TestApi;
  let issue: Oid;
  let patch: Oid;

  const put = (repository: MemoryRepository, actions: readonly unknown[], more: object = {}): Oid =>
    putEntry(repository, {
      writer: alice,
      actions,
      resource: repository.ref("refs/rad/id")!.oid!,
      timeSeconds: ENTRY_SECONDS,
      ...more,
    });

  const openIssue = (repository: MemoryRepository, title: string): Oid => {
    const id = put(repository, [{ type: "comment", body: "About" }, { type: "edit", title }]);
    setTip(repository, alice.nid, id, id);
    return id;
  };

  const change = (object: Oid, action: unknown, type?: string): Oid => {
    const entry = put(world.hello, [action], { parents: [object], ...(type && { type }) });
    setTip(world.hello, alice.nid, object, entry, type);
    return entry;
  };

  beforeEach(() => {
    names.clear();
    names.set(ALICE, "alice");
    world = createWorld();
    keepRefs(world.hello);
    issue = openIssue(world.hello, "first");
    const [base, , oid] = world.commits;
    patch = put(world.hello, [
      { type: "revision", description: "", base, oid },
      { type: "edit", title: "patch", target: "delegates" },
    ], { type: PATCH, related: [base, oid].sort() });
    setTip(world.hello, alice.nid, patch, patch, PATCH);
    const node = {
      ...createAbsentNode(),
      aliases: (nodes: readonly NodeId[]) =>
        Promise.resolve(new Map([...names].filter(([nid]) => nodes.includes(nid)))),
    };
    api = createTestApi({ node }, world);
  });

  const ask = async (path: string, client = STRANGER) => {
    const { status, body } = await api.get(`/projects/${world.helloRid}${path}`, client);
    assert.equal(status, 200);
    return body;
  };
  const paths = () => ["/issues", `/issues/${issue}`, "/patches", `/patches/${patch}`];
  const askAll = () => Promise.all(paths().map((path) => ask(path)));

  it("is the same again", async () => {
    assert.deepEqual(await askAll(), await askAll());
  });

  it("has the present aliases of nodes", async () => {
    for (const name of ["alice", "al", undefined, "alice"]) {
      if (name === undefined) names.delete(ALICE);
      else names.set(ALICE, name);
      for (const answer of await askAll()) assert.equal([answer].flat()[0].author.alias, name);
    }
  });

  it("has what others have written since", async () => {
    await askAll();
    change(issue, { type: "edit", title: "second" });
    assert.equal((await ask(`/issues/${issue}`)).title, "second");
    assert.equal((await ask("/issues"))[0].title, "second");
    change(patch, { type: "edit", title: "other", target: "delegates" }, PATCH);
    assert.equal((await ask(`/patches/${patch}`)).title, "other");
    assert.equal((await ask("/patches"))[0].title, "other");
  });

  it("has objects that came, went, and changed their state, and so do the counts", async () => {
    const look = async () => {
      const { issues, patches } = await ask("");
      const titles = async (query: string) =>
        (await ask(query)).map(({ title }: { title: string }) => title).sort().join();
      return [
        await titles("/issues"),
        await titles("/issues?state=closed"),
        `${issues.open} ${issues.closed}`,
        await titles("/patches"),
        await titles("/patches?state=draft"),
        `${patches.open} ${patches.draft}`,
      ];
    };
    assert.deepEqual(await look(), ["first", "", "1 0", "patch", "", "1 0"]);
    const second = openIssue(world.hello, "second");
    assert.deepEqual(await look(), ["first,second", "", "2 0", "patch", "", "1 0"]);
    change(issue, { type: "lifecycle", state: { status: "closed", reason: "solved" } });
    change(patch, { type: "lifecycle", state: { status: "draft" } }, PATCH);
    assert.deepEqual(await look(), ["second", "first", "1 1", "", "patch", "0 1"]);
    world.hello.deleteRef(`refs/namespaces/${alice.nid}/refs/cobs/xyz.radicle.issue/${second}`);
    assert.deepEqual(await look(), ["", "first", "0 1", "", "patch", "0 1"]);
  });

  it("has the branches of its author that point to a revision now", async () => {
    const refs = async () => [
      (await ask(`/patches/${patch}`)).revisions[0].refs,
      (await ask("/patches"))[0].revisions[0].refs,
    ];
    const before = await refs();
    publish(world.hello, ALICE_SEED, { topic: world.commits[2] });
    const after = await refs();
    assert.notDeepEqual(after, before);
    for (const names of after) assert.ok(names.includes("refs/heads/topic"));
  });

  it("about a private repository is only for the owner of the node, whoever requested it before", async () => {
    keepRefs(world.secret);
    const secret = openIssue(world.secret, "secret");
    const base = `/projects/${world.secretRid}`;
    for (const path of ["", "/issues", `/issues/${secret}`]) {
      for (
        const [client, status] of [[STRANGER, 404], [OWNER, 200], [STRANGER, 404], [OWNER, 200]] as const
      ) {
        const answer = await api.get(base + path, client);
        assert.equal(answer.status, status, path);
        if (status === 200) assert.match(answer.headers.get("cache-control") ?? "", /private/);
        else assert.doesNotMatch(JSON.stringify(answer.body), /"secret"/);
      }
    }
  });
});

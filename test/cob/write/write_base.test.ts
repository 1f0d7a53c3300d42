/** Rules of several generations in force at once: what one of them would drop is not written, and nothing is lost. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toIssueRow } from "../../../src/cob/rad_cache/cache_rows.ts";
import { toChange } from "../../../src/cob/write/change.ts";
import { LostUpdateWatcher } from "../../../src/cob/write/lost_update_watcher.ts";
import { draftIssue, type NewIssue } from "../../../src/cob/write/issue_request.ts";
import type { IssueAction } from "../../../src/cob/issue/issue.ts";
import { type Generation, RULES } from "../../../src/cob/rules.ts";
import { CoreError, type CoreErrorName } from "../../../src/errors.ts";
import { parseCommit } from "../../support/commits.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { WritableRepository } from "../../../src/ports/storage.ts";
import { signerOf } from "../../support/keys.ts";
import { createWriter as createPerson, type EntryDraft, putEntry, setTip } from "../entries.ts";
import { createFixtureWorld, createWriter, SEED_SECRET } from "../fixture_world.ts";
import { Task } from "../../../src/scheduling/task.ts";

const DRAFT: NewIssue = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
const is = (name: CoreErrorName, message = /./) => (error: unknown) =>
  error instanceof CoreError && error.name === name && message.test(error.message);
const [owner, stranger] = [createPerson(0xff), createPerson(0xab)];
const STRANGER = await signerOf("ab".repeat(32));
/** What anybody may do, but nobody who is no delegate under the rules of 2024. */
const UNCHANGED: readonly IssueAction[] = [
  { type: "label", labels: [] },
  { type: "assign", assignees: [] },
];

/** An issue of the owner's, the home's delegate. */
async function createSetting(
  shown: Generation,
  home: Generation,
  watcher = new LostUpdateWatcher(() => 0, () => () => {}),
) {
  const world = await createFixtureWorld(SEED_SECRET);
  const { repository, identity } = world;
  const { writer, place, issues, log } = createWriter(world, {
    rules: shown,
    generation: () => home,
    watcher,
  });
  const open = async (draft: Partial<NewIssue> = {}, by = place.signer) =>
    await writer.create(
      issues,
      { ...place, signer: by },
      await draftIssue(repository, { ...DRAFT, ...draft }),
    );
  const issue = await open();
  const change = (action: IssueAction, by = place.signer) =>
    writer.update(issues, { ...place, signer: by }, issue, () => toChange(repository, action));
  const ref = `refs/namespaces/${owner.nid}/refs/cobs/xyz.radicle.issue/${issue}`;
  const put = (draft: Pick<EntryDraft, "writer" | "actions" | "parents">) => {
    const entry = putEntry(repository, { ...draft, resource: identity });
    setTip(repository, draft.writer.nid, issue, entry);
    return entry;
  };
  const parents = (entry: Oid) => parseCommit(repository.object(entry)!.bytes).parents.slice(0, -1);
  /** What a store that has seen nothing says under some rules. */
  const afresh = async (rules: Generation) =>
    (await createWriter(world, { rules }).issues.get({
      objects: repository,
      graph: place.graph,
      task: new Task(),
    }, issue))!;
  const assertUnchanged = async (step: () => Promise<unknown>, error: (error: unknown) => boolean) => {
    const before = repository.refs("refs/");
    await assert.rejects(step, error);
    assert.deepEqual(repository.refs("refs/"), before);
  };
  return {
    world,
    repository,
    issues,
    place,
    log,
    issue,
    open,
    change,
    ref,
    put,
    parents,
    afresh,
    assertUnchanged,
    watcher,
  };
}

describe("a change without effect that only a delegate may make with effect", () => {
  const generations = ["newest", "1.1", "0.10", "2024"] as const;
  for (const action of UNCHANGED) {
    // Beside an entry that this node does not have, it would have an effect, and be refused with all on top of it.
    it(`is refused from others under all rules (${action.type})`, async () => {
      for (const shown of generations) {
        for (const home of generations) {
          const { change, assertUnchanged } = await createSetting(shown, home);
          await assertUnchanged(() => change(action, STRANGER), is("ForbiddenError"));
          await change(action);
        }
      }
    });
  }
});

describe("a new issue of a node that is no delegate", () => {
  it("has no labels and assignees, unless all programs are of 2024", async () => {
    for (const draft of [{ labels: ["l"] }, { assignees: [didOfNid(STRANGER.nodeId)] }]) {
      for (const [shown, home] of [["2024", "newest"], ["2024", "0.10"], ["newest", "2024"]] as const) {
        const { open, assertUnchanged } = await createSetting(shown, home);
        await assertUnchanged(() => open(draft, STRANGER), is("ForbiddenError"));
      }
      assert.ok(await (await createSetting("2024", "2024")).open(draft, STRANGER));
    }
  });

  it("that the programs of the home do not know cannot be changed", async () => {
    const { world, place, open } = await createSetting("2024", "2024");
    const id = await open({ labels: ["l"] }, STRANGER);
    const { writer, issues } = createWriter(world, { rules: "2024", generation: () => "newest" });
    const before = world.repository.refs("refs/");
    const action: IssueAction = { type: "edit", title: "x" };
    await assert.rejects(
      () => writer.update(issues, place, id, () => toChange(world.repository, action)),
      is("ConflictError", /does not exist under the rules of newest/),
    );
    assert.deepEqual(world.repository.refs("refs/"), before);
  });
});

describe("a change on top of what only some programs count", () => {
  it("is on another branch, and so are later changes", async () => {
    for (const [shown, home] of [["newest", "2024"], ["2024", "newest"]] as const) {
      const { put, change, issue, parents, afresh } = await createSetting(shown, home);
      const theirs = put({ writer: stranger, actions: UNCHANGED, parents: [issue] });
      const first = await change({ type: "edit", title: "first" });
      const second = await change({ type: "edit", title: "second" });
      assert.deepEqual([parents(first), parents(second)], [[issue], [first]]);
      // It counts where it did, and is dropped where it was.
      assert.deepEqual((await afresh("newest")).tips, [second, theirs].sort());
      assert.deepEqual((await afresh("2024")).tips, [second]);
      for (const rules of [shown, home]) assert.equal((await afresh(rules)).state.title, "second");
    }
  });

  it("stands on everything that all of them count", async () => {
    const { put, change, issue, parents } = await createSetting("newest", "2024");
    const comment = (body: string): IssueAction => ({ type: "comment", body, replyTo: issue, embeds: [] });
    const shared = put({ writer: stranger, actions: [comment("shared")], parents: [issue] });
    const beside = put({ writer: createPerson(7), actions: [comment("beside")], parents: [issue] });
    put({ writer: stranger, actions: UNCHANGED, parents: [shared] });
    assert.deepEqual(parents(await change({ type: "edit", title: "x" })), [shared, beside].sort());
  });

  it("is refused when the node's own reference holds it, and goes on after a change by rad", async () => {
    for (const [shown, home] of [["newest", "2024"], ["2024", "newest"]] as const) {
      const { put, change, issue, parents, assertUnchanged, log } = await createSetting(shown, home);
      const theirs = put({ writer: stranger, actions: UNCHANGED, parents: [issue] });
      put({ writer: owner, actions: [{ type: "edit", title: "mine" }], parents: [theirs] });
      const step = () => change({ type: "edit", title: "x" });
      await assertUnchanged(
        step,
        is("ConflictError", new RegExp(`lose entry ${theirs}.* rules of 2024; .* with rad`)),
      );
      assert.match(log.join("\n"), new RegExp(`lose entry ${theirs}`));
      const byRad = put({ writer: owner, actions: [{ type: "edit", title: "mine" }], parents: [issue] });
      assert.deepEqual(parents(await step()), [byRad]);
    }
  });
});

describe("rules of two generations", () => {
  it("are asked once each, and what they say is remembered", async () => {
    const { change, issues, world, place, issue, afresh } = await createSetting("newest", "2024");
    await change({ type: "edit", title: "x" });
    const blind: WritableRepository = {
      ...world.repository,
      object: () => assert.fail("read"),
      objects: () => assert.fail("read"),
    };
    for (const rules of ["newest", "2024"] as const) {
      const { state } = (await issues.under(RULES[rules]).get(
        { objects: blind, graph: place.graph, task: new Task() },
        issue,
      ))!;
      assert.deepEqual(toIssueRow(state), toIssueRow((await afresh(rules)).state));
    }
  });

  it("that are equal count as one", async () => {
    const { issues } = await createSetting("2024", "2024");
    assert.equal(issues.under(RULES["2024"]), issues);
    assert.notEqual(issues.under(RULES.newest), issues);
    assert.equal(issues.under(RULES.newest).under(RULES["2024"]), issues);
  });

  it("let what rad has overwritten be joined", async () => {
    const { change, watcher, repository, ref, issue, parents, afresh } = await createSetting(
      "newest",
      "0.10",
    );
    const ours = await change({ type: "comment", body: "ours", replyTo: issue, embeds: [] });
    const theirs = putEntry(repository, {
      writer: owner,
      actions: [{ type: "comment", body: "theirs", replyTo: issue }],
      parents: [issue],
      resource: repository.ref("refs/rad/id")!.oid,
    });
    repository.setRef(ref, theirs);
    await watcher.check();
    assert.deepEqual(parents(repository.ref(ref)!.oid!), [ours, theirs].sort());
    for (const rules of ["newest", "0.10"] as const) assert.equal((await afresh(rules)).size, 4);
  });
});

/** Entries with the very ids that the real service's own tests expect. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toChange } from "../../src/cob/write/change.ts";
import { draftIssue } from "../../src/cob/write/issue_request.ts";
import { draftPatch } from "../../src/cob/write/patch_request.ts";
import type { IssueAction } from "../../src/cob/issue/issue.ts";
import type { PatchAction } from "../../src/cob/patch/patch_action.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { CONTRIBUTOR_SECRET, createFixtureWorld, createWriter, SEED_SECRET } from "./fixture_world.ts";
import { Task } from "../../src/scheduling/task.ts";

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAA" +
  "AElFTkSuQmCC";
const DESCRIPTION = "Change 'hello world' to 'hello everyone'";
const IDS = {
  [SEED_SECRET]: {
    identity: "264a9cda82b66f746614d1a7ff76c53e72c6d2dc",
    rid: "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
    issue: "45d118885b6b06360ee539573f5ceb24be2979f8",
    patch: "7b6483ab13d2775af7a923f6f40699de2d827807",
  },
  [CONTRIBUTOR_SECRET]: {
    identity: "9d35d0db8d62ddd5999cab83e2623b908e035b66",
    rid: "rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG",
    issue: "d11b03464c9bf58b09460713c8e2c74f0725d3bd",
    patch: "89ddf1bf50a6e98f41372e8d554b4ac8e37e7d36",
  },
};

/** The repository with the issue and the patch that are there when the real service's tests begin. */
async function createSetting(secret: string = CONTRIBUTOR_SECRET) {
  const world = await createFixtureWorld(secret);
  const { repository, commits: [initial, parent, head] } = world;
  const { writer, place, issues, patches } = createWriter(world);
  const openIssue = async (
    title: string,
    labels: string[] = [],
    embeds: { name: string; content: string }[] = [],
  ) =>
    writer.create(
      issues,
      place,
      await draftIssue(repository, { title, description: DESCRIPTION, labels, assignees: [], embeds }),
    );
  const openPatch = async (title: string, description: string, target: Oid) =>
    writer.create(
      patches,
      place,
      await draftPatch({ objects: repository, graph: place.graph, task: new Task() }, {
        title,
        description,
        target,
        oid: head,
        labels: [],
      }),
    );
  const issue = await openIssue("Issue #1");
  const patch = await openPatch(
    "A new `hello world`",
    "change `hello world` in README to something else",
    parent,
  );
  return {
    world,
    commits: { initial, parent, head },
    issue,
    patch,
    openIssue,
    openPatch,
    changeIssue: (action: IssueAction) =>
      writer.update(issues, place, issue, () => toChange(repository, action)),
    changePatch: (action: PatchAction) =>
      writer.update(patches, place, patch, () => toChange(repository, action)),
  };
}

describe("written entries", () => {
  for (const [secret, ids] of Object.entries(IDS)) {
    it(`equal the entries in the tests of the real service (${ids.rid})`, async () => {
      const { world, issue, patch } = await createSetting(secret);
      assert.equal(world.rid, ids.rid);
      assert.equal(world.identity, ids.identity);
      assert.equal(issue, ids.issue);
      assert.equal(patch, ids.patch);
    });
  }

  it("carry labels and embeds", async () => {
    const { world, openIssue } = await createSetting();
    const embeds = [{
      name: "example.html",
      content: "data:image/png;base64,PGh0bWw+SGVsbG8gV29ybGQhPC9odG1sPg==",
    }];
    assert.equal(await openIssue("Issue #2", ["bug"], embeds), "b2d0999498f98b0d1fa12d859d2d0306380333a0");
    assert.ok(world.repository.object("b62df2ec90365e3749cd4fa431cb844492908b84" as Oid));
  });

  it("reply to comments", async () => {
    const { issue, changeIssue } = await createSetting();
    const comment = await changeIssue({
      type: "comment",
      body: "This is a reply to the first comment",
      replyTo: issue,
      embeds: [{ name: "image.jpg", content: PNG }],
    });
    assert.equal(comment, "e3aa754cb47d2299781fed49cc91c4b41e06c219");
  });

  it("open patches on the merge base", async () => {
    const { openPatch, commits } = await createSetting();
    assert.equal(
      await openPatch("Update README", "Do some changes to README", commits.initial),
      "e21d5b18f8d6c75cfa9c35186b821b1764cb1ab8",
    );
  });

  it("revise patches", async () => {
    const { changePatch, commits } = await createSetting();
    const revision = await changePatch({
      type: "revision",
      description: "This is a new revision",
      base: commits.parent,
      oid: commits.head,
      resolves: [],
    });
    assert.equal(revision, "46fc3974dac96255e73daf2e1169cd929e713064");
  });

  it("review patches and their code", async () => {
    const { patch, changePatch, commits } = await createSetting();
    const review = await changePatch({
      type: "review",
      revision: patch,
      summary: "A small review",
      verdict: "accept",
      labels: [],
    });
    assert.equal(review, "37ed60b8a11949d5db32bce3dd5ab117d3a82841");
    const comment = await changePatch({
      type: "review.comment",
      review,
      body: "This is a comment on a review",
      location: {
        commit: commits.head,
        path: "README.md",
        old: null,
        new: { type: "lines", range: { start: 2, end: 4 } },
      },
      embeds: [{ name: "image.jpg", content: PNG }],
    });
    assert.equal(comment, "9aebcd3b27fabb1700427d8ee7b8958b9a50a8f8");
  });
});

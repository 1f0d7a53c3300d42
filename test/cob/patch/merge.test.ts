/** Merges, and the state of patches. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergeQuestions } from "../../../src/cob/patch/patch.ts";
import type { Patch } from "../../../src/cob/patch/patch_state.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { PROJECT_PAYLOAD } from "../../../src/identity/doc.ts";
import { didOfNid, type NodeId } from "../../../src/ids/nid.ts";
import type { IdentityDoc } from "../../../src/identity/doc.ts";
import type { HomeGeneration } from "../../../src/identity/generation.ts";
import { AUTHOR, createDoc, createOp, DELEGATE, entryId, FRIEND, refusal, STRANGER } from "../ops.ts";
import { apply, BASE, decode, HEAD, NEXT, open, ROOT, type Setting } from "../patches.ts";

const first = entryId(1);
const second = entryId(2);
const both = createDoc([DELEGATE, FRIEND], 2);
const everything = new Set(
  [DELEGATE, FRIEND].flatMap((node) => [HEAD, NEXT].map((commit) => `${node} refs/heads/main ${commit}`)),
);
const setting: Setting = { holdings: everything };
const merge = (revision = first, commit = HEAD) => ({ type: "merge", revision, commit });
const state = (patch: Patch, status: string) =>
  apply(patch, 50, AUTHOR, { type: "lifecycle", state: { status } });

describe("a merge", () => {
  it("merges the patch when the delegate's branch holds the commit", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, DELEGATE, merge(), setting);
    assert.deepEqual(patch.state, { status: "merged", revision: first, commit: HEAD });
    assert.deepEqual([...patch.merges], [[DELEGATE, { revision: first, commit: HEAD, timeSeconds: 1002 }]]);
  });

  it("is passed over when the branch does not hold the commit", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, DELEGATE, merge());
    apply(patch, 3, DELEGATE, merge(), { holdings: new Set([`${FRIEND} refs/heads/main ${HEAD}`]) });
    apply(patch, 4, DELEGATE, merge(), { holdings: new Set([`${DELEGATE} refs/heads/other ${HEAD}`]) });
    assert.deepEqual([patch.state, patch.merges.size], [{ status: "open", conflicts: [] }, 0]);
  });

  it("waits for as many delegates as the document asks for", () => {
    const patch = open(AUTHOR, ROOT, { doc: both });
    apply(patch, 2, DELEGATE, merge(), { ...setting, doc: both });
    assert.deepEqual([patch.state, patch.merges.size], [{ status: "open", conflicts: [] }, 1]);
    apply(patch, 3, FRIEND, merge(), { ...setting, doc: both });
    assert.equal(patch.state.status, "merged");
  });

  it("does not count with merges of another revision or commit", () => {
    const patch = open(AUTHOR, ROOT, { doc: both });
    apply(patch, 2, DELEGATE, merge(), { ...setting, doc: both });
    apply(patch, 3, FRIEND, merge(first, NEXT), { ...setting, doc: both });
    assert.equal(patch.state.status, "open");
    apply(patch, 4, FRIEND, merge(), { ...setting, doc: both });
    assert.equal(patch.state.status, "merged");
  });

  it("is a conflict when enough delegates merged different things", () => {
    const one = createDoc([DELEGATE, FRIEND]);
    const patch = open(AUTHOR);
    apply(patch, 2, FRIEND, merge(first, NEXT), { ...setting, doc: one });
    apply(patch, 3, DELEGATE, merge(first, HEAD), { ...setting, doc: one });
    assert.deepEqual(patch.state, { status: "open", conflicts: [[first, HEAD], [first, NEXT]] });
    state(patch, "archived");
    assert.equal(patch.state.status, "open");
    apply(patch, 4, FRIEND, merge(first, HEAD), { ...setting, doc: one });
    assert.deepEqual(patch.state, { status: "merged", revision: first, commit: HEAD });
  });

  it("moves a merged patch to what the same delegate merged later", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, DELEGATE, merge(), setting);
    apply(patch, 3, DELEGATE, merge(first, NEXT), setting);
    assert.deepEqual(patch.state, { status: "merged", revision: first, commit: NEXT });
  });

  it("merges drafts and archived patches, too; a merged one stays so", () => {
    for (const status of ["draft", "archived"]) {
      const patch = open(AUTHOR);
      state(patch, status);
      apply(patch, 2, DELEGATE, merge(), setting);
      state(patch, status);
      assert.equal(patch.state.status, "merged");
    }
  });

  it("keeps its revision from being redacted", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, AUTHOR, { type: "revision", description: "", base: BASE, oid: NEXT });
    apply(patch, 3, DELEGATE, merge(second, NEXT), setting);
    apply(patch, 4, AUTHOR, { type: "revision.redact", revision: second });
    assert.ok(patch.revisions.get(second));
  });

  it("of a redacted revision is passed over, of an unknown one refused", () => {
    const patch = open(AUTHOR);
    apply(patch, 2, AUTHOR, { type: "revision", description: "", base: BASE, oid: NEXT });
    apply(patch, 3, AUTHOR, { type: "revision.redact", revision: second });
    apply(patch, 4, DELEGATE, merge(second, NEXT), setting);
    assert.equal(patch.merges.size, 0);
    assert.throws(() => apply(patch, 5, DELEGATE, merge(entryId(9))), refusal("missing"));
  });

  it("is into the branch that the patch is meant for", () => {
    const holdings = new Set([`${DELEGATE} refs/heads/stable ${HEAD}`]);
    const patch = open(AUTHOR, [ROOT[0], { type: "edit", title: "", target: { branch: "stable" } }]);
    apply(patch, 2, DELEGATE, merge(), { holdings });
    assert.equal(patch.state.status, "merged");
  });

  it("is refused where the document names no default branch, but not into a branch that the patch names", () => {
    const doc = createDoc([DELEGATE], 1, {});
    for (const generation of ["newest", "0.10", "2024"] as const) {
      assert.throws(
        () => apply(open(AUTHOR), 2, DELEGATE, merge(), { doc, generation }),
        refusal("malformed"),
      );
    }
    apply(
      open(AUTHOR, [ROOT[0], { type: "edit", title: "", target: { branch: "x" } }]),
      2,
      DELEGATE,
      merge(),
      { doc },
    );
  });
});

describe("a merge under rules of the identity document", () => {
  const project = { name: "p", description: "", defaultBranch: "main" };
  const rule = (...allowed: readonly NodeId[]) => ({ allow: allowed.map(didOfNid), threshold: 1 });
  const ruled = (rules: object, symbolic: object = {}, more: object = { [PROJECT_PAYLOAD]: project }) =>
    createDoc([DELEGATE], 1, { ...more, "xyz.radicle.crefs": { rules, symbolic } });
  const into = (branch: string) => open(AUTHOR, [ROOT[0], { type: "edit", title: "", target: { branch } }]);
  const holds = (branch: string) => ({ holdings: new Set([`${FRIEND} ${branch} ${HEAD}`]) });

  // The newest programs alone know rules. Of those that match the most specific one says who may merge.
  it("is allowed to the nodes that the rule for its branch names", () => {
    const doc = ruled({ "refs/heads/*": rule(FRIEND), "refs/heads/fix/*": rule(AUTHOR) });
    const patch = into("stable");
    apply(patch, 2, FRIEND, merge(), { doc, ...holds("refs/heads/stable") });
    assert.equal(patch.state.status, "merged");
    assert.throws(() => apply(into("stable"), 2, AUTHOR, merge(), { doc }), refusal("denied"));
    assert.throws(() => apply(into("fix/a"), 2, FRIEND, merge(), { doc }), refusal("denied"));
    apply(into("fix/a"), 2, AUTHOR, merge(), { doc });
    // Delegates may in any case.
    apply(into("fix/a"), 2, DELEGATE, merge(), { doc });
  });

  it("counts as often as the document asks for, whatever the threshold of the rule (as the real programs)", () => {
    const payload = {
      [PROJECT_PAYLOAD]: project,
      "xyz.radicle.crefs": {
        rules: {
          "refs/heads/x": rule(FRIEND),
          "refs/heads/main": { allow: "delegates", threshold: 2 },
        },
      },
    };
    const doc = createDoc([DELEGATE, STRANGER], 2, payload);
    const patch = into("x");
    apply(patch, 2, FRIEND, merge(), { doc, ...holds("refs/heads/x") });
    assert.deepEqual([patch.state.status, patch.merges.size], ["open", 1]);
    apply(patch, 3, DELEGATE, merge(), { doc, holdings: new Set([`${DELEGATE} refs/heads/x ${HEAD}`]) });
    assert.equal(patch.state.status, "merged");
  });

  it("is allowed to no other node where a rule is invalid, or for programs before the newest", () => {
    const valid = { "refs/heads/x": rule(FRIEND) };
    const bad = ruled({ ...valid, "refs/heads/y": { allow: [], threshold: 1 } });
    assert.throws(() => apply(into("x"), 2, FRIEND, merge(), { doc: bad }), refusal("denied"));
    apply(into("x"), 2, DELEGATE, merge(), { doc: bad });
    assert.throws(() => apply(open(AUTHOR), 2, DELEGATE, merge(), { doc: bad }), refusal("malformed"));
    const doc = ruled(valid);
    for (const generation of ["0.10", "2024"] as const) {
      const patch = open(AUTHOR, ROOT, { generation });
      assert.throws(() => apply(patch, 2, FRIEND, merge(), { doc, generation }), refusal("denied"));
      apply(patch, 3, DELEGATE, merge(), { doc: bad, generation, ...setting });
      assert.equal(patch.state.status, "merged");
    }
  });

  it("is into the branch that HEAD leads to, also without a project", () => {
    const rules = { "refs/heads/trunk": { allow: "delegates", threshold: 1 } };
    const doc = ruled(rules, { MAIN: "refs/heads/trunk", HEAD: "MAIN" }, {});
    const patch = open(AUTHOR);
    apply(patch, 2, DELEGATE, merge(), { doc, holdings: new Set([`${DELEGATE} refs/heads/trunk ${HEAD}`]) });
    assert.equal(patch.state.status, "merged");
    const early = () => apply(open(AUTHOR), 2, DELEGATE, merge(), { doc, generation: "0.10" });
    assert.throws(early, refusal("malformed"));
  });

  it("finds no default branch in a project that its generation refuses", () => {
    const named = createDoc([DELEGATE], 1, { [PROJECT_PAYLOAD]: { ...project, name: "two words" } });
    const extended = createDoc([DELEGATE], 1, { [PROJECT_PAYLOAD]: { ...project, more: 1 } });
    const attempt = (doc: IdentityDoc, generation: HomeGeneration) => () =>
      apply(open(AUTHOR), 2, DELEGATE, merge(), { doc, generation });
    assert.throws(attempt(named, "newest"), refusal("malformed"));
    for (const generation of ["0.10", "2024"] as const) attempt(named, generation)();
    assert.throws(attempt(extended, "2024"), refusal("malformed"));
    for (const generation of ["newest", "0.10"] as const) attempt(extended, generation)();
  });
});

describe("a lifecycle action", () => {
  it("moves between open, draft and archived at will", () => {
    const patch = open(AUTHOR);
    for (const status of ["draft", "archived", "open", "archived", "draft", "open"]) {
      state(patch, status);
      assert.equal(patch.state.status, status);
    }
  });
});

describe("mergeQuestions", () => {
  const ask = (actions: unknown[], patch?: Patch) =>
    mergeQuestions(patch, createOp(2, DELEGATE, actions.map((action) => decode(action))), RULES.newest)
      .map(({ branch, commit }) => `${branch} ${commit[0]}`);

  it("asks nothing where nothing is merged", () => assert.deepEqual(ask([ROOT[1]], open(AUTHOR)), []));

  it("asks for every branch that the patch may be meant for by then", () => {
    assert.deepEqual(ask([merge(), merge(first, NEXT)], open(AUTHOR)), [
      "refs/heads/main c",
      "refs/heads/main d",
    ]);
    assert.deepEqual(ask([{ type: "edit", title: "", target: { branch: "x" } }, merge()], open(AUTHOR)), [
      "refs/heads/x c",
      "refs/heads/main c",
    ]);
  });
});

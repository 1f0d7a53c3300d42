/** The document in force where a repository does not name it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalJson } from "../../../src/cob/write/canonical_json.ts";
import { IdentitySearch } from "../../../src/cob/identity/identity_search.ts";
import { RULES } from "../../../src/cob/rules.ts";
import type { HomeGeneration } from "../../../src/identity/generation.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import { encodeMultibase } from "../../../src/ids/multibase.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import { ridFromOid } from "../../../src/ids/rid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { createWriter, putEntry, setTip, type Writer } from "../entries.ts";
import { Task } from "../../../src/scheduling/task.ts";

const TYPE = "xyz.radicle.id";
const alice = createWriter(1);
const bob = createWriter(2);
const carol = createWriter(3);
const scratch = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");

const docOf = (description: string, ...delegates: readonly Writer[]) =>
  canonicalJson({
    delegates: delegates.map(({ nid }) => didOfNid(nid)),
    payload: { "xyz.radicle.project": { defaultBranch: "main", description, name: "x" } },
    threshold: 1,
  });
const blobOf = (doc: string) => scratch.put("blob", new TextEncoder().encode(doc));

function putProposal(
  repository: MemoryRepository,
  writer: Writer,
  doc: string,
  parent: Oid | null,
  parents: readonly Oid[] = parent === null ? [] : [parent],
): Oid {
  const signature = encodeMultibase(writer.sign(oidToBytes(blobOf(doc))));
  return putEntry(repository, {
    writer,
    type: TYPE,
    actions: [{ type: "revision", title: "t", blob: blobOf(doc), parent, signature }],
    parents,
    folder: { embeds: { "radicle.json": doc } },
  });
}

/** An acceptance, where the node's own identity points to from then on. */
function accept(
  repository: MemoryRepository,
  writer: Writer,
  root: Oid,
  proposal: Oid,
  doc: string,
  parent: Oid = proposal,
): void {
  const signature = encodeMultibase(writer.sign(oidToBytes(blobOf(doc))));
  const entry = putEntry(repository, {
    writer,
    type: TYPE,
    actions: [{ type: "revision.accept", revision: proposal, signature }],
    parents: [parent],
  });
  setTip(repository, writer.nid, root, entry, TYPE);
}

/** A repository whose identity alice founded and changed once; she has no `refs/rad/id`. */
function createRepository(): { repository: MemoryRepository; root: Oid; second: Oid } {
  const doc = docOf("first", alice);
  const repository = createMemoryStorage().create(ridFromOid(blobOf(doc)));
  const root = putProposal(repository, alice, doc, null);
  const second = putProposal(repository, alice, docOf("second", alice, bob), root);
  setTip(repository, alice.nid, root, second, TYPE);
  for (const { nid } of [alice, bob]) repository.setRef(`refs/namespaces/${nid}/refs/rad/sigrefs`, root);
  return { repository, root, second };
}

const find = (repository: MemoryRepository, generation: HomeGeneration = "newest") =>
  new IdentitySearch(RULES[generation]).find(repository, new Task());

describe("IdentitySearch", () => {
  it("starts at the root that a node names", async () => {
    const { repository, root, second } = createRepository();
    repository.setRef(`refs/namespaces/${bob.nid}/refs/rad/root`, root);
    assert.equal(await find(repository), second);
  });

  it("starts at the root that a node's identity has", async () => {
    const { repository, second } = createRepository();
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/id`, second);
    assert.equal(await find(repository), second);
  });

  it("counts votes of all nodes", async () => {
    const { repository, root, second } = createRepository();
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/root`, root);
    const third = putProposal(repository, bob, docOf("third", bob), second);
    setTip(repository, bob.nid, root, third, TYPE);
    assert.equal(await find(repository), second);
    accept(repository, alice, root, third, docOf("third", bob));
    assert.equal(await find(repository), third);
  });

  it("counts a node's vote for the first of two that compete, or under the rules of 2024 for the last", async () => {
    const everybody = [alice, bob, carol];
    const doc = docOf("first", ...everybody);
    const repository = createMemoryStorage().create(ridFromOid(blobOf(doc)));
    const root = putProposal(repository, alice, doc, null);
    const second = putProposal(repository, alice, docOf("second", ...everybody), root);
    const third = putProposal(repository, alice, docOf("third", ...everybody), root, [second]);
    setTip(repository, alice.nid, root, third, TYPE);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/id`, third);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/sigrefs`, root);
    for (const [writer, proposal, says] of [[bob, second, "second"], [carol, third, "third"]] as const) {
      accept(repository, writer, root, proposal, docOf(says, ...everybody), third);
    }
    assert.equal(await find(repository), second);
    for (const generation of ["0.10", "2024"] as const) {
      assert.equal(await find(repository, generation), third);
    }
  });

  it("refuses a proposal that says the same in other words", async () => {
    const doc = docOf("first", alice);
    const repository = createMemoryStorage().create(ridFromOid(blobOf(doc)));
    const root = putProposal(repository, alice, doc, null);
    const same = JSON.stringify({ ...JSON.parse(doc), visibility: { type: "public" }, more: 1 }, null, 1);
    setTip(repository, alice.nid, root, putProposal(repository, alice, same, root), TYPE);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/root`, root);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/sigrefs`, root);
    for (const generation of ["newest", "0.10", "2024"] as const) {
      assert.equal(await find(repository, generation), root);
    }
  });

  it("does not believe a node that names the identity of another repository", async () => {
    const { repository } = createRepository();
    const foreign = putProposal(repository, bob, docOf("foreign", bob), null);
    setTip(repository, bob.nid, foreign, foreign, TYPE);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/rad/root`, foreign);
    assert.equal(await find(repository), undefined);
  });

  it("finds nothing where no node names a root, or objects are missing", async () => {
    const { repository } = createRepository();
    assert.equal(await find(repository), undefined);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/root`, "a".repeat(40) as Oid);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/rad/id`, "b".repeat(40) as Oid);
    assert.equal(await find(repository), undefined);
  });
});

/** The document in force where a repository does not name it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalJson } from "../../src/cob/canonical_json.ts";
import { createIdentityReader, findIdentity } from "../../src/cob/identity_search.ts";
import { RULES } from "../../src/cob/rules.ts";
import { didOfNid } from "../../src/ids/did.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import { ridFromOid } from "../../src/ids/rid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { createWriter, putEntry, setTip, type Writer } from "./entries.ts";

const TYPE = "xyz.radicle.id";
const alice = createWriter(1);
const bob = createWriter(2);
const scratch = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");

const docOf = (description: string, ...delegates: readonly Writer[]) =>
  canonicalJson({
    delegates: delegates.map(({ nid }) => didOfNid(nid)),
    payload: { "xyz.radicle.project": { defaultBranch: "main", description, name: "x" } },
    threshold: 1,
  });
const blobOf = (doc: string) => scratch.put("blob", new TextEncoder().encode(doc));

function putProposal(repository: MemoryRepository, writer: Writer, doc: string, parent: Oid | null): Oid {
  const signature = encodeMultibase(writer.sign(oidToBytes(blobOf(doc))));
  return putEntry(repository, {
    writer,
    type: TYPE,
    actions: [{ type: "revision", title: "t", blob: blobOf(doc), parent, signature }],
    parents: parent === null ? [] : [parent],
    folder: { embeds: { "radicle.json": doc } },
  });
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

const find = (repository: MemoryRepository) => findIdentity(repository, RULES.newest, createIdentityReader());

describe("findIdentity", () => {
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
    const accept = putEntry(repository, {
      writer: alice,
      type: TYPE,
      actions: [{
        type: "revision.accept",
        revision: third,
        signature: encodeMultibase(alice.sign(oidToBytes(blobOf(docOf("third", bob))))),
      }],
      parents: [third],
    });
    setTip(repository, alice.nid, root, accept, TYPE);
    assert.equal(await find(repository), third);
  });

  it("does not believe a node that names the identity of another repository", async () => {
    const { repository } = createRepository();
    const foreign = putProposal(repository, bob, docOf("foreign", bob), null);
    setTip(repository, bob.nid, foreign, foreign, TYPE);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/rad/root`, foreign);
    assert.equal(await find(repository), undefined);
  });

  it("finds nothing where nobody names a root, or objects are missing", async () => {
    const { repository } = createRepository();
    assert.equal(await find(repository), undefined);
    repository.setRef(`refs/namespaces/${alice.nid}/refs/rad/root`, "a".repeat(40) as Oid);
    repository.setRef(`refs/namespaces/${bob.nid}/refs/rad/id`, "b".repeat(40) as Oid);
    assert.equal(await find(repository), undefined);
  });
});

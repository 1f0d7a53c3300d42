/** New repositories, byte for byte as the real programs make them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  draftInit,
  encodeDoc,
  type FirstDoc,
  initRepository,
} from "../../../../adapters/cli/demo/repository_init.ts";
import { findIdentity } from "../../../../src/cob/identity/identity_search.ts";
import { createIdentityReader } from "../../../../src/cob/identity/identity_search.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { createDocCache, readIdentity } from "../../../../src/identity/identity.ts";
import { createSigrefsCache, readSigrefs } from "../../../../src/identity/sigrefs.ts";
import { didOfNid } from "../../../../src/ids/did.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../../src/storage/memory.ts";
import { signerOf } from "../../../support/keys.ts";
import { ALICE, ALICE_SEED, BOB, BOB_SEED, putCommit } from "../../../support/world.ts";

const signer = await signerOf(ALICE_SEED);
const decoder = new TextDecoder();
const TIME = 1671125284;
const PERSON = { name: "alice", email: `alice@${ALICE}` };

/** The repository that `rad init` makes in the examples of the real programs. */
const HEARTWOOD: FirstDoc = {
  delegates: [didOfNid(ALICE)],
  threshold: 1,
  visibility: { type: "public" },
  project: {
    name: "heartwood",
    description: "Radicle Heartwood Protocol & Stack",
    defaultBranch: "master",
  },
};
const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const ROOT = "0656c217f917c3e06234771e9ecae53aba5e173e";

const draft = () => draftInit({ doc: HEARTWOOD, person: PERSON, timeSeconds: TIME }, signer);
const textOf = (doc: Partial<FirstDoc>) => decoder.decode(encodeDoc({ ...HEARTWOOD, ...doc }));

/** An empty repository with a commit in it, and the repository founded. */
async function found(): Promise<MemoryRepository> {
  const init = await draft();
  const repository = createMemoryStorage().create(init.rid);
  for (const [name, target] of Object.entries(init.symbolicRefs)) {
    repository.setSymbolicRef(name, target);
  }
  const head = putCommit(repository, { folder: { README: "Hello\n" }, message: "Begin\n" });
  const options = { signer, head, timeSeconds: TIME, generation: "newest" } as const;
  await initRepository(repository, init, options);
  return repository;
}

describe("a new repository", () => {
  it("has the id and the init entry that rad init gives it", async () => {
    const { rid, root } = await draft();
    assert.deepEqual([rid, root], [RID, ROOT]);
  });

  it("has the references that rad init makes, the founder's signed", async () => {
    const repository = await found();
    const namespace = `refs/namespaces/${ALICE}/refs/`;
    const names = repository.refs("refs/").map(({ name }) => name.replace(namespace, "~"));
    assert.deepEqual(names, [
      "refs/heads/master",
      `~cobs/xyz.radicle.id/${ROOT}`,
      "~heads/master",
      "~rad/id",
      "~rad/root",
      "~rad/sigrefs",
      "refs/rad/id",
    ]);
    assert.equal(repository.ref("HEAD")?.target, "refs/heads/master");
    const signed = await readSigrefs(repository, ALICE, createSigrefsCache());
    assert.deepEqual([...signed ?? []].map(([name]) => name), [
      `refs/cobs/xyz.radicle.id/${ROOT}`,
      "refs/heads/master",
      "refs/rad/id",
      "refs/rad/root",
    ]);
  });

  it("is read as what it was founded as, with its reference and without", async () => {
    const repository = await found();
    const find = (other: MemoryRepository) =>
      findIdentity(other, RULES.newest, createIdentityReader(RULES.newest));
    assert.equal(await find(repository), ROOT);
    const doc = await readIdentity(repository, createDocCache(), () => Promise.resolve(undefined));
    assert.deepEqual({ ...HEARTWOOD, payloads: doc.payloads, readings: doc.readings }, doc);
  });

  it("is not founded a second time", async () => {
    const repository = await found();
    const head = putCommit(repository, { folder: {}, message: "Again\n" });
    const options = { signer, head, timeSeconds: TIME, generation: "newest" } as const;
    await assert.rejects(initRepository(repository, await draft(), options), {
      name: "WriteError",
      obstacle: "conflict",
    });
  });

  it("is not founded for somebody else, nor with a key that does not sign", async () => {
    const other = await signerOf(BOB_SEED);
    const begin = { doc: HEARTWOOD, person: PERSON, timeSeconds: TIME };
    await assert.rejects(draftInit(begin, other), TypeError);
    await assert.rejects(draftInit(begin, { ...other, nodeId: ALICE }), { code: "unauthorized" });
  });
});

describe("an identity document", () => {
  it("is canonical", () => {
    assert.equal(
      textOf({}),
      `{"delegates":["did:key:${ALICE}"],"payload":{"xyz.radicle.project":{"defaultBranch":"master",` +
        `"description":"Radicle Heartwood Protocol & Stack","name":"heartwood"}},"threshold":1}`,
    );
  });

  it("says who may read a private repository, in order and once", () => {
    const [alice, bob] = [didOfNid(ALICE), didOfNid(BOB)].sort();
    const allow = [bob!, alice!, bob!];
    assert.match(textOf({ visibility: { type: "private" } }), /,"visibility":\{"type":"private"\}\}$/);
    assert.ok(
      textOf({ visibility: { type: "private", allow } }).endsWith(
        `"visibility":{"allow":["${alice}","${bob}"],"type":"private"}}`,
      ),
    );
  });

  it("is refused when not all programs would read it", () => {
    const { project } = HEARTWOOD;
    const unreadable: Partial<FirstDoc>[] = [
      { threshold: 0 },
      { threshold: 2 },
      { delegates: [] },
      { delegates: [didOfNid(ALICE), didOfNid(ALICE)] },
      { project: { ...project, name: "" } },
      { project: { ...project, name: "two words" } },
      { project: { ...project, name: "x".repeat(256) } },
      { project: { ...project, description: "é".repeat(128) } },
      { project: { ...project, defaultBranch: "no..name" } },
    ];
    for (const doc of unreadable) assert.throws(() => textOf(doc), TypeError, JSON.stringify(doc));
    assert.ok(textOf({ project: { ...project, name: "bäume_2.木", description: "é".repeat(127) } }));
  });
});

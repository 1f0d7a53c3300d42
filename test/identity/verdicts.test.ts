/** Published verdicts about signatures: used where they fit the references, and nowhere else. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { findDocBlob, IDENTITY_REF } from "../../src/identity/identity.ts";
import { listRemotes } from "../../src/identity/remotes.ts";
import { parseDoc } from "../../src/identity/doc.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { saveVerdicts } from "../../src/identity/save_verdicts.ts";
import { createSigrefsCache, SigrefsReader, sigrefsRef } from "../../src/identity/sigrefs.ts";
import {
  createVerdictCache,
  decodeVerdicts,
  encodeVerdicts,
  readVerdicts,
  savedIdentity,
  type Verdicts,
  VERDICTS_NAME,
} from "../../src/identity/verdicts.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createMemoryDerived, type MemoryDerived, withDerived } from "../support/derived.ts";
import { createWriter } from "../cob/entries.ts";
import { BRANCH, CraftedHistory } from "./crafted_sigrefs.ts";
import { ALICE, ALICE_SEED, BOB, BOB_SEED, createWorld, publish, putBlob } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

const rules = "newest";
const none = () => Promise.resolve(undefined);

/** Saves the verdicts about a repository. */
async function save(
  repository: Repository,
  derived: MemoryDerived,
  find: (repository: Repository) => Promise<Oid | undefined> = none,
  generation: HomeGeneration = "newest",
): Promise<void> {
  const { write } = derived;
  const root = await saveVerdicts({
    repository,
    task: new Task(),
    generation,
    rules,
    find,
    earlier: derived,
    write,
  });
  assert.equal(root.name, VERDICTS_NAME);
  derived.publish(root);
}

/** A world with signed references of two nodes, those of Bob signed by Alice. */
async function openWorld() {
  const { hello, commits } = createWorld();
  publish(hello, ALICE_SEED, { master: commits[2]! });
  hello.setRef(sigrefsRef(BOB), hello.ref(sigrefsRef(ALICE))!.oid!);
  const derived = createMemoryDerived();
  await save(hello, derived);
  return { hello, commits, derived };
}

/** Publishes verdicts that nobody has found. */
async function tell(rid: RepoId, derived: MemoryDerived, verdicts: Verdicts): Promise<void> {
  const file = await encodeVerdicts(rid, verdicts);
  await derived.write(file);
  derived.publish({ name: VERDICTS_NAME, digest: file.digest, files: [{ digest: file.digest, bytes: 1 }] });
}

/** A repository in which Bob has signed X, Y and X again, which only the newest programs find to be a replay. */
function openReplay() {
  const { hello, commits: [x, y, z] } = createWorld();
  const place = { root: hello.ref(IDENTITY_REF)!.oid!, states: { x, y, z } };
  const history = new CraftedHistory(hello.put, createWriter(BOB_SEED), place);
  history.add({}).add({ state: "y" }).add({});
  hello.setRef(sigrefsRef(BOB), history.tip);
  return { hello, x, y, history, derived: createMemoryDerived() };
}

/** Reads signed references, and the objects that this needs. */
async function read(
  repository: MemoryRepository,
  derived: MemoryDerived,
  nid = ALICE,
  generation: HomeGeneration = "newest",
) {
  const objects: string[] = [];
  const refs = await new SigrefsReader(
    withDerived(repository, derived, (oid) => objects.push(oid)),
    createSigrefsCache(undefined, { generation: () => generation }),
    new Task(),
  ).read(nid);
  return { refs: [...refs ?? []], objects };
}

describe("verdicts about signed references", () => {
  it("give the same references without the signature", async () => {
    const { hello, derived } = await openWorld();
    const verified = await read(hello, createMemoryDerived());
    const told = await read(hello, derived);
    assert.ok(verified.refs.length > 0);
    assert.deepEqual(told.refs, verified.refs);
    const unread = new Set(verified.objects.filter((oid) => !told.objects.includes(oid)));
    assert.equal(unread.size, 1, "the signature is the one object that nobody needs");
  });

  it("refuse what does not verify, so that readers need not verify it", async () => {
    const { hello, derived } = await openWorld();
    const verdicts = await readVerdicts({ rid: hello.rid, derived }, createVerdictCache());
    const tip = hello.ref(sigrefsRef(ALICE))!.oid!;
    assert.deepEqual([...verdicts!.signed].sort(), [
      [ALICE, { tip, shown: tip }],
      [BOB, { tip, shown: undefined }],
    ]);
    const objects: string[] = [];
    const repository = withDerived(hello, derived, (oid) => objects.push(oid));
    await assert.rejects(
      new SigrefsReader(repository, createSigrefsCache(), new Task()).read(BOB),
      DamagedError,
    );
    assert.deepEqual(objects, []);
    await assert.rejects(read(hello, derived, BOB), DamagedError);
    const blob = hello.object(await findDocBlob(hello, hello.ref(IDENTITY_REF)!.oid!));
    const remotes = await listRemotes(
      new SigrefsReader(withDerived(hello, derived), createSigrefsCache(), new Task()),
      parseDoc(blob!.bytes),
    );
    assert.deepEqual(remotes.map(({ nid }) => nid), [ALICE]);
  });

  it("are not used for another commit, another node or another repository", async () => {
    const { hello, derived, commits } = await openWorld();
    const signed = hello.ref(sigrefsRef(ALICE))!.oid!;
    // Alice's reference points to what Bob signed.
    publish(hello, BOB_SEED, { master: commits[2]! });
    hello.setRef(sigrefsRef(ALICE), hello.ref(sigrefsRef(BOB))!.oid!);
    await assert.rejects(read(hello, derived), DamagedError);
    hello.setRef(sigrefsRef(BOB), signed);
    await assert.rejects(read(hello, derived, BOB), DamagedError);
    const [file] = derived.files.values();
    assert.equal(
      await decodeVerdicts("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as typeof hello.rid, file!),
      undefined,
    );
  });

  it("are not used when their file is damaged or absent", async () => {
    const { hello, derived } = await openWorld();
    const verified = await read(hello, createMemoryDerived());
    const [[digest, bytes]] = [...derived.files] as [[string, Uint8Array]];
    for (
      const wrong of [bytes.map((byte, i) => i === 20 ? byte ^ 1 : byte), bytes.slice(1), new Uint8Array()]
    ) {
      derived.files.set(digest, wrong);
      assert.deepEqual(await read(hello, derived), verified);
    }
    derived.files.delete(digest);
    assert.deepEqual(await read(hello, derived), verified);
    assert.equal(await decodeVerdicts(hello.rid, new Uint8Array(100)), undefined);
  });

  it("are trusted as what they are published with is, but never beyond the ids that they name", async () => {
    const { hello, derived } = await openWorld();
    const oid = hello.ref(sigrefsRef(BOB))!.oid!;
    const signed = new Map([[BOB, { tip: oid, shown: oid }]]);
    await tell(hello.rid, derived, { rules, signed, identity: undefined });
    assert.deepEqual((await read(hello, derived, BOB)).refs, (await read(hello, derived)).refs);
    // Of the text nothing is taken on trust: its id is that of the reference.
    hello.setRef(sigrefsRef(BOB), putBlob(hello, "no commit"));
    await assert.rejects(read(hello, derived, BOB), DamagedError);
  });

  it("name the commit that counts when the last one repeats an earlier one", async () => {
    const { hello, y, history, derived } = openReplay();
    await save(hello, derived);
    const told = await read(hello, derived, BOB);
    assert.deepEqual(told.refs, (await read(hello, createMemoryDerived(), BOB)).refs);
    assert.deepEqual(new Map(told.refs).get(BRANCH), y);
    assert.ok(!told.objects.includes(history.commits[0]!), "no history is walked");
  });

  it("are not used where older rules are", async () => {
    const { hello, derived } = await openWorld();
    assert.deepEqual(
      await read(hello, derived, ALICE, "0.10"),
      await read(hello, createMemoryDerived(), ALICE, "0.10"),
    );
  });

  it("by older rules than the reader's are followed", async () => {
    const { hello, x, y, history, derived } = openReplay();
    await save(hello, derived, none, "0.10");
    const told = await read(hello, derived, BOB);
    assert.equal(new Map(told.refs).get(BRANCH), x);
    assert.ok(told.objects.includes(history.tip) && !told.objects.includes(history.commits[1]!));
    await save(hello, derived);
    assert.equal(new Map((await read(hello, derived, BOB)).refs).get(BRANCH), y);
  });

  it("name their rules for nodes that they do not name, as when there are too many", async () => {
    const { hello, x, derived } = openReplay();
    const { nid } = createWriter(BOB_SEED);
    const row = { tip: x, shown: x };
    const tooMany = 100_000;
    const signed = Object.assign(new Map([[nid, row]]), {
      *[Symbol.iterator]() {
        for (let i = 0; i < tooMany; i++) yield [nid, row];
      },
    });
    await tell(hello.rid, derived, { rules: "0.10", signed, identity: undefined });
    assert.equal(new Map((await read(hello, derived, BOB)).refs).get(BRANCH), x);
  });

  it("are taken over from the last publication", async () => {
    const { hello, derived } = await openWorld();
    const objects: string[] = [];
    hello.deleteRef(sigrefsRef(BOB));
    await save(withDerived(hello, derived, (oid) => objects.push(oid)), derived);
    assert.deepEqual(objects, []);
  });
});

describe("verdicts about an identity", () => {
  it("are used while its references are the same, under the same rules", async () => {
    const { hello, derived } = await openWorld();
    const commit = hello.ref(IDENTITY_REF)!.oid!;
    const find = () => Promise.resolve(commit);
    const told = (as = rules) =>
      savedIdentity(withDerived(hello, derived), as, createVerdictCache(), new Task());
    // The repository names its identity: there is nothing to be found.
    await save(hello, derived, find);
    assert.equal(await told(), undefined);
    hello.deleteRef(IDENTITY_REF);
    await save(hello, derived, find);
    assert.equal(await told(), commit);
    assert.equal(await told("early"), undefined);
    const vote = `refs/namespaces/${BOB}/refs/cobs/xyz.radicle.id/${commit}`;
    hello.setRef(vote, commit);
    assert.equal(await told(), undefined);
    hello.deleteRef(vote);
    assert.equal(await told(), commit);
    hello.setRef(`refs/namespaces/${BOB}/refs/rad/id`, commit);
    assert.equal(await told(), undefined);
  });
});

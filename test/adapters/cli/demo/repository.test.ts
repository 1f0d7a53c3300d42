/** New repositories, byte for byte as the real programs make them. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { HISTORIES } from "../../../../adapters/cli/demo/carried/story.ts";
import {
  draftIdentity,
  initRepository,
  type ProjectDraft,
} from "../../../../adapters/cli/demo/repository.ts";
import { IdentitySearch } from "../../../../src/cob/identity/identity_search.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { Identities } from "../../../../src/identity/identity.ts";
import { createSigrefsCache, SigrefsReader } from "../../../../src/identity/sigrefs.ts";
import { didOfNid } from "../../../../src/ids/nid.ts";
import type { WritableRepository } from "../../../../src/ports/storage.ts";
import { createHomeStorage, type HomeStorage } from "../../../../src/storage/home/storage.ts";
import { fileSystem } from "../../../support/files.ts";
import { GitRepository, makeFolder, removeFolder } from "../../../support/git.ts";
import { signerOf } from "../../../support/keys.ts";
import { ALICE, ALICE_SEED } from "../../../support/world.ts";
import { Task } from "../../../../src/scheduling/task.ts";

const founder = { alias: "alice", signer: await signerOf(ALICE_SEED) };
const TIME = 1671125284;

/** The repository that `rad init` makes in the examples of the real programs. */
const HEARTWOOD: ProjectDraft = {
  name: "heartwood",
  description: "Radicle Heartwood Protocol & Stack",
  defaultBranch: "master",
  visibility: "public",
};
const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const ROOT = "0656c217f917c3e06234771e9ecae53aba5e173e";

/** The text of the first identity document. */
async function docOf(draft: Partial<ProjectDraft>): Promise<string> {
  const { objects } = await draftIdentity({ ...HEARTWOOD, ...draft }, founder, TIME);
  const texts = objects.map(({ bytes }) => new TextDecoder().decode(bytes));
  return texts.find((text) => text.startsWith('{"delegates"'))!;
}

let root: string;
let storage: HomeStorage;
let repository: WritableRepository;
before(async () => {
  root = makeFolder();
  storage = createHomeStorage({ root, fileSystem });
  const history = HISTORIES["winter-notes"]!;
  repository = await initRepository({ root, storage }, HEARTWOOD, founder, history, TIME);
});
after(() => {
  storage.close();
  removeFolder(root);
});

describe("a new repository", () => {
  it("has the id and the first entry that rad init gives it", async () => {
    const { rid, root } = await draftIdentity(HEARTWOOD, founder, TIME);
    assert.deepEqual([rid, root], [RID, ROOT]);
    assert.equal(repository.rid, RID);
  });

  it("has the references that rad init makes, the founder's signed", async () => {
    const namespace = `refs/namespaces/${ALICE}/refs/`;
    const names = (await repository.refs("refs/")).map(({ name }) => name.replace(namespace, "~"));
    assert.deepEqual(names, [
      "refs/heads/master",
      `~cobs/xyz.radicle.id/${ROOT}`,
      "~heads/master",
      "~rad/id",
      "~rad/root",
      "~rad/sigrefs",
      "refs/rad/id",
    ]);
    assert.equal((await repository.ref("HEAD"))?.target, "refs/heads/master");
    const signed = await new SigrefsReader(repository, createSigrefsCache(), new Task()).read(ALICE);
    assert.deepEqual([...signed ?? []].map(([name]) => name), [
      `refs/cobs/xyz.radicle.id/${ROOT}`,
      "refs/heads/master",
      "refs/rad/id",
      "refs/rad/root",
    ]);
  });

  it("is read as what it was made as", async () => {
    assert.equal(
      await new IdentitySearch(RULES.newest).find(repository, new Task()),
      ROOT,
    );
    const doc = await new Identities(() => Promise.resolve(undefined)).doc(repository, new Task());
    const { defaultBranch, description, name } = HEARTWOOD;
    assert.deepEqual(doc.project, { defaultBranch, description, name });
    assert.deepEqual([doc.delegates, doc.threshold, doc.visibility], [[didOfNid(ALICE)], 1, {
      type: "public",
    }]);
  });

  it("can be read by git and by our own reader, and has no unneeded files", () => {
    const folder = join(root, RID.slice("rad:".length));
    const git = new GitRepository(folder);
    assert.equal(git.text(["rev-parse", "--is-bare-repository"]), "true");
    assert.equal(git.text(["symbolic-ref", "HEAD"]), "refs/heads/master");
    assert.equal(git.text(["log", "--format=%s"]), "Start the notes");
    assert.deepEqual(storage.repositoryIds(), [RID]);
    assert.deepEqual(readdirSync(folder).sort(), ["HEAD", "config", "objects", "refs", "xylem"]);
  });
});

describe("an identity document", () => {
  it("is canonical", async () => {
    assert.equal(
      await docOf({}),
      `{"delegates":["did:key:${ALICE}"],"payload":{"xyz.radicle.project":{"defaultBranch":"master",` +
        `"description":"Radicle Heartwood Protocol & Stack","name":"heartwood"}},"threshold":1}`,
    );
  });

  it("says that a repository is private", async () => {
    assert.match(await docOf({ visibility: "private" }), /,"visibility":\{"type":"private"\}\}$/);
  });
});

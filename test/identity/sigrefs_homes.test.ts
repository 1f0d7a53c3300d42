/** Signed references in stored homes of the real programs: made again by us, on the same parent at the same time, they are the same commits. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseCommit } from "../support/commits.ts";
import { resolveRef } from "../../src/git/references.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { sigrefsRef } from "../../src/identity/sigrefs.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createHomeSigner } from "../../src/keys/home_signer.ts";
import type { Repository, WritableRepository } from "../../src/ports/storage.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "../support/files.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** Homes whose node has signed everything it has, at a time that is known to the second. */
const HOMES: Readonly<Record<string, HomeGeneration>> = {
  "today/ten-then-today": "newest",
  "today/today-browse": "newest",
  "today/today-collab": "newest",
  "today/ten-collab": "0.10",
};

/** The repository as it was before a commit of signed references; nothing is written to it. */
function beforeSigning(repository: Repository, nid: NodeId, parent: Oid | undefined): WritableRepository {
  const name = sigrefsRef(nid);
  return {
    rid: repository.rid,
    ref: (wanted) => wanted !== name ? repository.ref(wanted) : parent && { name, oid: parent },
    refs: (prefix) => repository.refs(prefix),
    header: (oid) => repository.header(oid),
    object: (oid) => repository.object(oid),
    objects: (oids) => repository.objects(oids),
    writeObjects: () => [],
    updateRef: () => true,
  };
}

describe("signed references, made again", () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder("sigrefs-homes");
  });
  after(() => removeFolder(folder));

  for (const [archive, generation] of Object.entries(HOMES)) {
    it(`are the same as in ${archive}`, async () => {
      const home = unpackHome(`${archive}.tar.gz`, folder);
      const nid = nodeIdOfPublicKey(readFileSync(join(home, "keys", "radicle.pub"), "latin1"));
      const signer = await createHomeSigner({ home, nodeId: nid, fileSystem })();
      const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
      let compared = 0;
      for (const rid of storage.repositoryIds()) {
        const repository = storage.repository(rid)!;
        const tip = (await resolveRef(repository, sigrefsRef(nid)))?.oid;
        if (tip === undefined) continue;
        const { parents: [parent], timeSeconds } = parseCommit((await repository.object(tip))!.bytes);
        const earlier = beforeSigning(repository, nid, parent);
        const signed = await signRefs(earlier, { nid, signer, timeSeconds: Number(timeSeconds), generation });
        // A first start of the newest node signs what is signed already once more, to name a parent.
        if (signed === parent) continue;
        assert.equal(signed, tip, rid);
        compared++;
      }
      assert.ok(compared > 0, "nothing compared");
    });
  }
});

/** References that we sign, judged by the real programs: by `rad`, by nodes that start on the home, and by nodes that fetch from it. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { detectGeneration, type HomeGeneration, readHomeSigns } from "../../src/identity/generation.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import { type NodeId, parseNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { createHomeSigner } from "../../src/keys/home_signer.ts";
import { isWritable, type WritableRepository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { signerOf } from "../support/keys.ts";
import {
  createRadHome,
  type Generation,
  GENERATIONS,
  openRadHome,
  removeFolder,
  startNode,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { configure, freePort, makeHome, type SignedHome } from "./signed_home.ts";

const ALICE_SEED = "a1".repeat(32);
const BOB_SEED = "b0".repeat(32);
const TIME_SECONDS = 1777896000;

const folder = temporaryFolder("sigrefs");
after(() => removeFolder(folder));

function openRepository(home: string, rid: RepoId): WritableRepository {
  const repository = createHomeStorage({ root: join(home, "storage"), fileSystem }).repository(rid);
  assert.ok(repository !== undefined && isWritable(repository));
  return repository;
}

/** Points a branch of the namespace elsewhere, or makes it, and signs, as we would after a change. */
async function changeAndSign(home: string, rid: RepoId, seed: string, name: string, to: Oid): Promise<Oid> {
  const signer = await signerOf(seed);
  const repository = openRepository(home, rid);
  const branch = `refs/namespaces/${signer.nodeId}/refs/heads/${name}`;
  const from = (await repository.ref(branch))?.oid;
  assert.equal(await repository.updateRef(branch, { from, to }), true);
  const generation = detectGeneration(readHomeSigns(fileSystem, home));
  return await signRefs(repository, { nid: signer.nodeId, signer, timeSeconds: TIME_SECONDS, generation });
}

/** What `rad` says of the signed references of a node: their commit, and with the newest programs their level. */
function inspect(made: Pick<SignedHome, "rad" | "rid">, nid: NodeId): string {
  const lines = made.rad.rad(folder, "inspect", "--sigrefs", made.rid).trim().split("\n");
  return lines.find((line) => line.startsWith(nid))?.slice(nid.length).trim() ?? "";
}

const levels: Readonly<Record<Generation, string>> = { "0.10": "", "newest": " parent" };
const expectedGeneration: Readonly<Record<Generation, HomeGeneration>> = {
  "0.10": "0.10",
  "newest": "newest",
};

for (const generation of GENERATIONS) {
  describe(`references that we sign in a home of ${generation}`, () => {
    let made: SignedHome;
    before(async () => {
      made = await makeHome(generation, join(folder, `home-${generation}`), ALICE_SEED);
    });

    it("are signed as this generation does", () => {
      assert.equal(
        detectGeneration(readHomeSigns(fileSystem, made.rad.home)),
        expectedGeneration[generation],
      );
    });

    it("are believed by rad, who signs on top of them, and we on top of that", async () => {
      const { rad, rid, nid, commits, work } = made;
      for (const round of [0, 1, 2]) {
        const signed = await changeAndSign(rad.home, rid, ALICE_SEED, "extra", commits[round % 2]!);
        assert.equal(inspect(made, nid), signed + levels[generation]);
        rad.rad(work, "issue", "open", "--title", `Issue ${round}`, "--description", "x", "--no-announce");
        const next = inspect(made, nid);
        assert.notEqual(next, signed + levels[generation]);
        assert.match(next, generation === "newest" ? /^[0-9a-f]{40} parent$/ : /^[0-9a-f]{40}$/);
      }
    });

    it("are believed by a node that starts on the home, and stay", async () => {
      const signed = await changeAndSign(
        made.rad.home,
        made.rid,
        ALICE_SEED,
        "before-start",
        made.commits[0],
      );
      const node = await startNode(generation, made.rad.home);
      await node.stop();
      assert.equal(inspect(made, made.nid), signed + levels[generation]);
    });

    it("are not signed again when nothing has changed", async () => {
      const repository = openRepository(made.rad.home, made.rid);
      const signer = await signerOf(ALICE_SEED);
      const before = (await repository.ref(`refs/namespaces/${made.nid}/refs/rad/sigrefs`))?.oid;
      const options = {
        nid: made.nid,
        signer,
        timeSeconds: TIME_SECONDS + 1,
        generation: expectedGeneration[generation],
      };
      assert.equal(await signRefs(repository, options), before);
    });

    for (const reader of GENERATIONS) {
      it(`are fetched by a node of ${reader}`, async () => {
        const port = await freePort();
        configure(made.rad.home, { listen: [`127.0.0.1:${port}`] });
        const signed = await changeAndSign(
          made.rad.home,
          made.rid,
          ALICE_SEED,
          `for-${reader}`,
          made.commits[1],
        );
        const place = join(folder, `reader-${reader}-of-${generation}`);
        const bob = createRadHome(reader, place, { alias: "bob", seed: BOB_SEED });
        configure(bob.home, { connect: [`${made.nid}@127.0.0.1:${port}`] });
        made.rad.rad(folder, "seed", made.rid, "--no-fetch");
        const running = [await startNode(generation, made.rad.home), await startNode(reader, bob.home)];
        try {
          bob.rad(place, "clone", made.rid, "--seed", made.nid);
        } finally {
          for (const node of running.reverse()) await node.stop();
        }
        const fetched = openRepository(bob.home, made.rid);
        const name = (ref: string) => `refs/namespaces/${made.nid}/${ref}`;
        assert.equal((await fetched.ref(name("refs/rad/sigrefs")))?.oid, signed);
        assert.equal((await fetched.ref(name(`refs/heads/for-${reader}`)))?.oid, made.commits[1]);
      });
    }
  });
}

describe("references that we sign in a home that newer programs have taken over", () => {
  const home = join(folder, "taken-over");
  before(() =>
    cpSync(unpackHome("today/ten-then-today.tar.gz", folder), home, {
      recursive: true,
      verbatimSymlinks: true,
    })
  );

  it("never have a lower level than before, whatever generation is assumed", async () => {
    const rad = openRadHome("newest", home, "press");
    const nodeId = parseNid(rad.rad(folder, "self", "--nid").trim());
    const signer = await createHomeSigner({ home, nodeId, fileSystem })();
    const nid = signer.nodeId;
    const repositories = createHomeStorage({ root: join(home, "storage"), fileSystem });
    assert.equal(detectGeneration(readHomeSigns(fileSystem, home)), "newest");
    for (const rid of repositories.repositoryIds()) {
      const repository = openRepository(home, rid);
      const to = (await repository.ref("refs/rad/id"))!.oid!;
      for (const generation of ["2024", "0.10", "newest"] as const) {
        const name = `refs/namespaces/${nid}/refs/heads/as-${generation}`;
        assert.equal(await repository.updateRef(name, { from: undefined, to }), true);
        const signed = await signRefs(repository, { nid, signer, timeSeconds: TIME_SECONDS, generation });
        assert.equal(inspect({ rad, rid }, nid), `${signed} parent`);
      }
    }
  });
});

for (const archive of ["edge-sigrefs", "edge-badsig"]) {
  describe(`references that we sign in a home that was tampered with (${archive})`, () => {
    it("are sound again: rad believes them, and a node starts", async () => {
      const home = unpackHome(`today/${archive}.tar.gz`, folder);
      const rad = openRadHome("newest", home, archive);
      const nodeId = parseNid(rad.rad(folder, "self", "--nid").trim());
      const signer = await createHomeSigner({ home, nodeId, fileSystem })();
      for (const rid of createHomeStorage({ root: join(home, "storage"), fileSystem }).repositoryIds()) {
        const options = { nid: nodeId, signer, timeSeconds: TIME_SECONDS, generation: "newest" } as const;
        const signed = await signRefs(openRepository(home, rid), options);
        assert.equal(inspect({ rad, rid }, nodeId), `${signed} parent`);
      }
      await (await startNode("newest", home)).stop();
    });
  });
}

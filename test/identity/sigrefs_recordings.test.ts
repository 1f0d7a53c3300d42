/** Signed references as the real programs wrote them: the recorded changes of `writes-*.jsonl.gz`, bit for bit. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { parseCommitHeader } from "../../src/git/commit.ts";
import { resolveRef, resolveRefs } from "../../src/git/references.ts";
import { parseTree } from "../../src/git/tree.ts";
import { createSigrefsHistory } from "../../src/identity/sigrefs_history.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { parseRid, type RepoId } from "../../src/ids/rid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { signerOf } from "../support/keys.ts";
import { removeFolder, ROOT, temporaryFolder, unpackHome } from "../support/programs.ts";
import { Task } from "../../src/scheduling/task.ts";

/** The line that a recorded sequence begins with. */
interface Sequence {
  readonly home: string;
  readonly commitTime: number;
  readonly nodeId: NodeId;
  readonly seed: string;
}

/** A recorded change, and the signer's references after it, but for branches, which no change touches. */
interface Change {
  readonly path: string;
  readonly refs?: Readonly<Record<string, Oid>>;
}

const SEQUENCES = ["issues", "patches", "contributor", "duo"];

function readRecording(name: string): [Sequence, ...Change[]] {
  const path = join(ROOT, "test", "fixtures", `writes-${name}.jsonl.gz`);
  const lines = gunzipSync(readFileSync(path)).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)) as [Sequence, ...Change[]];
}

/** Copies a node's branches, and the commits of its signed references with all that is in them. */
async function copyNamespace(from: Repository, to: MemoryRepository, nid: NodeId): Promise<void> {
  const name = `refs/namespaces/${nid}/refs/rad/sigrefs`;
  for (const { name, oid } of await resolveRefs(from, `refs/namespaces/${nid}/refs/heads/`, new Task())) {
    to.setRef(name, oid);
  }
  const copy = async (oid: Oid) => {
    const { kind, bytes } = (await from.object(oid))!;
    to.put(kind, bytes);
    return bytes;
  };
  const ref = await resolveRef(from, name);
  if (ref !== undefined) to.setRef(name, ref.oid);
  for (let oid = ref?.oid; oid !== undefined;) {
    const { tree, parents } = parseCommitHeader(await copy(oid));
    for (const entry of parseTree(await copy(tree))) await copy(entry.oid);
    oid = parents[0];
  }
}

describe("signed references", () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder("sigrefs");
  });
  after(() => removeFolder(folder));

  for (const name of SEQUENCES) {
    describe(`after each change of the sequence "${name}"`, () => {
      const [sequence, ...changes] = readRecording(name);
      let home: Storage;
      let signer: Signer;
      const repositories = new Map<RepoId, MemoryRepository>();
      const history = createSigrefsHistory();

      before(async () => {
        home = createHomeStorage({
          root: join(unpackHome(`${sequence.home}.tar.gz`, folder), "storage"),
          fileSystem,
        });
        signer = await signerOf(sequence.seed);
      });

      const repositoryOf = async (rid: RepoId): Promise<MemoryRepository> => {
        const known = repositories.get(rid);
        if (known !== undefined) return known;
        const repository = createMemoryStorage().create(rid);
        await copyNamespace((await home.repository(rid))!, repository, sequence.nodeId);
        repositories.set(rid, repository);
        return repository;
      };

      it("are what the real service made of them", async () => {
        let compared = 0;
        for (const { path, refs } of changes) {
          if (refs === undefined) continue;
          const sigrefs = `refs/namespaces/${sequence.nodeId}/refs/rad/sigrefs`;
          const repository = await repositoryOf(parseRid(path.split("/")[4] ?? ""));
          for (const [name, oid] of Object.entries(refs)) if (name !== sigrefs) repository.setRef(name, oid);
          const signed = await signRefs(repository, {
            nid: sequence.nodeId,
            signer,
            timeSeconds: sequence.commitTime,
            generation: "2024",
            history,
          });
          assert.equal(signed, refs[sigrefs], `change ${compared} of ${path}`);
          compared++;
        }
        assert.ok(compared > 0);
      });
    });
  }
});

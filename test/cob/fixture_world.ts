/** The repository that the real service's own tests write to, made anew in memory, and a writer on it. */
import { canonicalJson } from "../../src/cob/write/canonical_json.ts";
import { CacheRows } from "../../src/cob/rad_cache/cache_rows.ts";
import type { RepositoryToWrite } from "../../src/cob/write/entry_draft.ts";
import { LostUpdateWatcher } from "../../src/cob/write/lost_update_watcher.ts";
import { issueType, patchType } from "../../src/cob/evaluation/object_types.ts";
import { ObjectStore } from "../../src/cob/evaluation/store.ts";
import { type Generation, RULES } from "../../src/cob/rules.ts";
import { formatSshSignature } from "../../src/cob/entry/ssh_signature.ts";
import { createDocsByCommit } from "../../src/cob/evaluation/evaluation_context.ts";
import { Writer, type WriterOptions } from "../../src/cob/write/writer.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { encodeCommit, encodeTree } from "../../src/git/encode.ts";
import { MODE } from "../../src/git/tree.ts";
import { Identities } from "../../src/identity/identity.ts";
import { didOfNid, nidToPublicKey } from "../../src/ids/nid.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import { type RepoId, ridFromOid } from "../../src/ids/rid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import type { WritableRepository } from "../../src/ports/storage.ts";
import { createMemoryStorage, type MemoryRepository, type MemoryStorage } from "../../src/storage/memory.ts";
import { signerOf } from "../support/keys.ts";
import { createWorld } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

/** When everything is written, seconds. */
export const TIME_SECONDS = 1671125284;
/** Secrets of the two nodes that the real service's tests run as. */
export const SEED_SECRET: string = "ff".repeat(32);
export const CONTRIBUTOR_SECRET: string = "ff".repeat(31) + "ee";
/** What both nodes are called. */
export const ALIAS = "seed";

/** The repository. */
export interface FixtureWorld {
  readonly storage: MemoryStorage;
  readonly repository: MemoryRepository;
  readonly rid: RepoId;
  /** The founder's key. */
  readonly signer: Signer;
  /** Commits of the branch, oldest first. */
  readonly commits: readonly [Oid, Oid, Oid];
  readonly identity: Oid;
}

/** Makes the repository as `rad init` of February 2024 does; further delegates, which the real one has not, may be given. */
export async function createFixtureWorld(
  secret: string = CONTRIBUTOR_SECRET,
  others: readonly Signer[] = [],
): Promise<FixtureWorld> {
  const signer = await signerOf(secret);
  const doc = canonicalJson({
    delegates: [signer, ...others].map(({ nodeId }) => didOfNid(nodeId)),
    payload: {
      "xyz.radicle.project": {
        defaultBranch: "master",
        description: "Rad repository for tests",
        name: "hello-world",
      },
    },
    threshold: 1,
  });
  const bytes = new TextEncoder().encode(doc);
  const storage = createMemoryStorage();
  const rid = ridFromOid(
    createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji").put("blob", bytes),
  );
  const repository = storage.create(rid);
  const identity = await putIdentity(repository, signer, repository.put("blob", bytes));
  const namespace = `refs/namespaces/${signer.nodeId}/refs`;
  repository.setRef("refs/rad/id", identity);
  repository.setRef(`${namespace}/cobs/xyz.radicle.id/${identity}`, identity);
  repository.setSymbolicRef(`${namespace}/rad/id`, `${namespace}/cobs/xyz.radicle.id/${identity}`);
  const { hello, commits } = createWorld();
  copyCommits(hello, repository, commits);
  repository.setRef(`${namespace}/heads/master`, commits[2]);
  repository.setRef("refs/heads/master", commits[2]);
  repository.setSymbolicRef("HEAD", "refs/heads/master");
  return { storage, repository, rid, signer, commits, identity };
}

/** A writer that knows nothing yet, with the stores that it writes to. */
export function createWriter(
  world: { readonly repository: WritableRepository; readonly signer: Signer },
  options: Partial<WriterOptions & { rules: Generation; watcher: LostUpdateWatcher }> = {},
) {
  // Nobody looks after what is written, unless the test does.
  const { rules = "2024", watcher = new LostUpdateWatcher(() => 0, () => () => {}), ...parts } = options;
  const graph = new CommitGraph();
  const docs = createDocsByCommit();
  const log: string[] = [];
  const tell = (_level: string, message: string) => void log.push(message);
  const issues = new ObjectStore(issueType, RULES[rules], { docs, log: tell });
  const patches = new ObjectStore(patchType, RULES[rules], { docs, log: tell });
  const writer = new Writer({
    profile: { nodeId: world.signer.nodeId, alias: ALIAS, pinned: () => [] },
    rows: new CacheRows({
      cache: undefined,
      cobs: { issues, patches, docs },
      log: tell,
      graphs: { open: (objects, task) => ({ objects, graph, task }) },
    }),
    onWritten: () => {},
    log: tell,
    nowSeconds: () => TIME_SECONDS,
    generation: () => rules,
    identities: new Identities(() => Promise.resolve(undefined)),
    ...parts,
  }, watcher);
  const place: RepositoryToWrite = {
    objects: world.repository,
    graph,
    task: new Task(),
    signer: world.signer,
  };
  return { writer, place, issues, patches, log };
}

async function putIdentity(repository: MemoryRepository, signer: Signer, blob: Oid): Promise<Oid> {
  const encoder = new TextEncoder();
  const file = (name: string, oid: Oid, mode: number = MODE.blob) => ({
    mode,
    name: encoder.encode(name),
    oid,
  });
  const put = (text: string) => repository.put("blob", encoder.encode(text));
  const signature = encodeMultibase(await signer.sign(oidToBytes(blob)));
  const tree = repository.put(
    "tree",
    encodeTree([
      file(
        "0",
        put(canonicalJson({
          type: "revision",
          blob,
          parent: null,
          signature,
          title: "Initial revision",
        })),
      ),
      file("embeds", repository.put("tree", encodeTree([file("radicle.json", blob)])), MODE.tree),
      file("manifest", put('{"typeName":"xyz.radicle.id","version":1}')),
    ]),
  );
  return repository.put(
    "commit",
    encodeCommit({
      tree,
      parents: [],
      author: { name: ALIAS, email: `${ALIAS}@${signer.nodeId}` },
      timeSeconds: TIME_SECONDS,
      signature: formatSshSignature({
        publicKey: nidToPublicKey(signer.nodeId),
        signature: await signer.sign(oidToBytes(tree)),
      }),
      message: "Initialize identity",
    }),
  );
}

/** Copies commits; their trees are not needed. */
function copyCommits(from: MemoryRepository, to: MemoryRepository, commits: readonly Oid[]): void {
  for (const oid of commits) {
    const commit = from.object(oid);
    if (commit !== undefined) to.put(commit.kind, commit.bytes);
  }
}

/** Each read of the route table is answered by a replica as the home answers strangers, whoever asks. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../../adapters/cli/demo/home.ts";
import type { HomeApi } from "../../../adapters/home/home.ts";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { deflate, inflate } from "../../../adapters/node/zlib.ts";
import { allExtensions } from "../../support/extensions.ts";
import { allRoutes } from "../../../src/routes/table.ts";
import { createMemoryBucket } from "../../../extensions/replicas/bucket/memory.ts";
import { PAGE_FILES } from "../../../extensions/page/carried/files.js";
import { createReplica, type Replica } from "../../../extensions/replicas/replica/replica.ts";
import type { OriginRequest } from "../../../extensions/replicas/origin/forward.ts";
import type { Client } from "../../../src/ports/client.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { createTestPublisher } from "./publisher/test_publisher.ts";
import { OWNER, STRANGER } from "../../support/api.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";

const DIALECTS = ["both", "v1", "today"] as const;
const CLIENTS: Readonly<Record<string, Client>> = { stranger: STRANGER, "program on this machine": OWNER };
const PAGE_FILE = Object.keys(PAGE_FILES).find((name) => name.endsWith(".js"))!;
/** A repository that the home does not have. */
const ABSENT = "rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG";
/** Stands for an issue or a patch where a repository has none. */
const NO_OBJECT = "5".repeat(40);

/** Reads that have no answer of 200 for a stranger without a session, nor by `GET`. */
const FOR_NOBODY = /\/profile$|\/sessions\/|\/git-receive-pack$/;
/** Reads of what is in one repository; policies there are for all. */
const OF_REPOSITORY = /(?<!policies\/repos\/):(?:rid|project|name)\b/;

/** Parameters of paths that lead to something in a repository. */
interface Places {
  readonly rid: string;
  readonly nid: string;
  readonly head: string;
  readonly parent: string;
  readonly file: string;
  readonly blob: string;
  readonly issue: string;
  readonly patch: string;
}

/** What was answered, with all its header fields but the one that only replicas have. */
interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Asked = Pick<Replica, "fetch">;

async function ask(api: Asked, path: string, client: Client): Promise<Answered> {
  const response = await api.fetch(new Request(`http://localhost${path}`), client);
  // Those of a replica alone: its name, and how old the answer is.
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== "via" && !name.startsWith("xylem-")),
  );
  return {
    status: response.status,
    headers,
    body: Buffer.from(await response.arrayBuffer()).toString("latin1"),
  };
}

/** What the owner sees in a repository. */
async function placesIn(api: Asked, nid: string, rid: string): Promise<Places> {
  const read = async (path: string, dialect = "projects") =>
    JSON.parse((await ask(api, `/api/v1/${dialect}/${rid}${path}`, OWNER)).body);
  const { head } = await read("");
  const { commits } = await read("/commits?perPage=2");
  const { entries } = await read(`/tree/${head}/`);
  const { path } = entries.find(({ kind }: { kind: string }) => kind === "blob");
  const { entries: ofToday } = await read(`/tree/${head}/`, "repos");
  const { oid: blob } = ofToday.find((entry: { path: string }) => entry.path === path);
  const [[issue], [patch]] = await Promise.all([read("/issues?state=all"), read("/patches?state=all")]);
  return {
    rid,
    nid,
    head,
    parent: (commits[1] ?? commits[0]).commit.id,
    file: path,
    blob,
    issue: issue?.id ?? NO_OBJECT,
    patch: patch?.id ?? NO_OBJECT,
  };
}

/** A path of a pattern; fails for a parameter of which this test knows nothing. */
function pathOf(pattern: string, places: Places): string {
  const { rid, nid, head, parent, file, blob, issue, patch } = places;
  const values: Readonly<Record<string, string>> = {
    ...{ rid, project: rid, name: rid, nid, peer: nid, did: `did:key:${nid}`, delegate: `did:key:${nid}` },
    ...{ sha: head, base: parent, path: file, archive: `${head}.tar.gz`, ref: `${head}.zip` },
    oid: pattern.includes("/blobs/") ? blob : head,
    id: pattern.includes("/issues/") ? issue : pattern.includes("/patches/") ? patch : "a".repeat(32),
    file: PAGE_FILE,
  };
  const isFolder = pattern.includes("/tree/:sha/*");
  return pattern.replace(
    /[:*](\w+)/g,
    (_, name: string) =>
      isFolder && name === "path" ? "" : values[name] ?? assert.fail(`${name} in ${pattern}`),
  );
}

const folder = temporaryFolder("contract-replica");
const bucket = createMemoryBucket();
let repositories: Readonly<Record<"public" | "private" | "absent", Places>>;
before(async () => {
  await makeDemoHome(folder);
  const home = await adapter.createHomeApi({ home: folder });
  const { nodeId } = home.profile;
  const ids = async (client: Client): Promise<string[]> =>
    JSON.parse((await ask(home.api, "/api/v1/projects?show=all", client)).body)
      .map(({ id }: { id: string }) => id);
  const shown = await ids(STRANGER);
  const [hidden] = (await ids(OWNER)).filter((id) => !shown.includes(id));
  const [pinned] = await home.profile.pinned();
  const known = await placesIn(home.api, nodeId, pinned!);
  repositories = {
    public: known,
    private: await placesIn(home.api, nodeId, hidden!),
    absent: { ...known, rid: ABSENT },
  };
  const publisher = createTestPublisher(home.storage, bucket, { deflate, node: home });
  assert.equal((await publisher.publishAll()).failed, 0);
  await home.close();
});
after(() => removeFolder(folder));

for (const api of DIALECTS) {
  describe(`a replica with --api ${api}`, () => {
    const patterns = new Set(
      // Live changes have no end (`test/extensions/events/home.test.ts`).
      allRoutes({ api }, allExtensions({ page: true })).filter(([method, , , traits]) =>
        method === "GET" && !traits?.isLasting
      )
        .map(([, pattern]) => pattern),
    );
    let home: HomeApi;
    let replica: Replica;
    before(async () => {
      home = await adapter.createHomeApi({ home: folder, api, page: api !== "today" });
      // On the machine of the home, which takes a request without `Via` for one of the owner.
      const origin = {
        url: "http://localhost",
        fetch: (url: string, init: OriginRequest) =>
          home.api.fetch(new Request(url, init as RequestInit), OWNER),
      };
      replica = await createReplica(bucket, { loadLibgit2, inflate, api, page: api !== "today", origin });
    });
    after(async () => {
      await replica?.close();
      await home?.close();
    });

    for (const kind of ["public", "private", "absent"] as const) {
      it(`answers each read of a repository that is ${kind} as the home does to strangers`, async () => {
        const refused: string[] = [];
        for (const pattern of patterns) {
          const path = pathOf(pattern, repositories[kind]);
          for (const [who, client] of Object.entries(CLIENTS)) {
            const expected = await ask(home.api, path, STRANGER);
            assert.deepEqual(await ask(replica, path, client), expected, `${path}, to a ${who}`);
            const { status, body } = expected;
            if (status !== 200) refused.push(pattern);
            else assert.ok(!body.includes(repositories.private.rid), path);
          }
        }
        const isRefused = kind === "public"
          ? (pattern: string) => FOR_NOBODY.test(pattern)
          : (pattern: string) => FOR_NOBODY.test(pattern) || OF_REPOSITORY.test(pattern);
        assert.deepEqual(new Set(refused), new Set([...patterns].filter(isRefused)));
      });
    }
  });
}

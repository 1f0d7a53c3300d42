/** For whom a request counts in limits of one client: whom the host names, whatever header fields say. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "../../mod.ts";
import type { GitProgram } from "../../extensions/git/git_program.ts";
import { MAX_READERS_OF_PEER } from "../../extensions/events/places.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";
import { MAX_SEARCHES_OF_CLIENT } from "../../extensions/search/search.ts";
import { createTestApi, OWNER, STRANGER, type TestOptions } from "../support/api.ts";
import { createTestIndex } from "../support/search.ts";

/** Fields that a client can send, and how it can ask. */
const FORGED: readonly (readonly [client: Client, fields: Readonly<Record<string, string>>])[] = [
  [STRANGER, { via: "1.0 x" }],
  [STRANGER, { via: "1.1 xylem-replica" }],
  [STRANGER, { forwarded: "for=192.0.2.9" }],
  [STRANGER, { "x-forwarded-for": "192.0.2.9" }],
  [STRANGER, { origin: "http://localhost:1234" }],
  [STRANGER, { "xylem-client-address": "192.0.2.9" }],
  [{ transport: "tcp", address: "192.0.2.7", isForwarded: true }, {}],
];
const NEIGHBOUR: Client = { transport: "tcp", address: "192.0.2.8" };

/** Asks an API; the status, and a function that lets go of the answer. */
function ask(options: TestOptions) {
  const { api, world: { helloRid } } = createTestApi({ api: "both", ...options });
  return {
    api,
    helloRid,
    async statusOf(path: string, client: Client, headers: Readonly<Record<string, string>> = {}) {
      const request = new Request(`http://localhost${path}`, { headers });
      const response = await api.fetch(request, client);
      return { status: response.status, leave: () => response.body?.cancel() };
    },
  };
}

describe("live changes of one client", () => {
  it("are bounded, whatever its header fields say", async () => {
    const { api, statusOf } = ask({});
    const open = (...[client, fields]: readonly [Client, Readonly<Record<string, string>>?]) =>
      statusOf("/api/v1/events", client, fields);
    for (let i = 0; i < MAX_READERS_OF_PEER; i++) {
      assert.equal((await open(...FORGED[i % FORGED.length]!)).status, 200);
    }
    for (const forged of FORGED) assert.equal((await open(...forged)).status, 503, JSON.stringify(forged));
    assert.equal((await open(NEIGHBOUR)).status, 200);
    assert.equal((await open(OWNER)).status, 200);
    await api.close();
  });

  it("are bounded behind a proxy that names it", async () => {
    const addressOf = ({ headers }: Request) => headers.get("x-real-ip") ?? undefined;
    const { api, statusOf } = ask({ behindProxy: true, clients: { addressOf } });
    const open = async (address: string) =>
      (await statusOf("/api/v1/events", OWNER, { via: "1.1 proxy", "x-real-ip": address })).status;
    for (let i = 0; i < MAX_READERS_OF_PEER; i++) assert.equal(await open("192.0.2.7"), 200);
    assert.equal(await open("192.0.2.7"), 503);
    assert.equal(await open("192.0.2.8"), 200);
    await api.close();
  });
});

describe("searches of one client", () => {
  it("are bounded, whatever its header fields say", async () => {
    const never = Promise.withResolvers<ReadonlyMap<RepoId, number>>();
    const searchIndex = { ...createTestIndex(), counts: () => never.promise };
    const { api, statusOf } = ask({ searchIndex });
    const search = (i: number) => statusOf("/api/v1/search?q=hello", ...FORGED[i % FORGED.length]!);
    const waiting = Array.from({ length: MAX_SEARCHES_OF_CLIENT }, (_, i) => search(i));
    for (let i = 0; i < FORGED.length; i++) assert.equal((await search(i)).status, 503);
    never.resolve(new Map());
    await Promise.all(waiting);
    await api.close();
  });
});

describe("the client of a clone or fetch", () => {
  it("is passed to git, whatever header fields say", async () => {
    const peers: (string | undefined)[] = [];
    const git: GitProgram = {
      uploadPack(_, { peer }) {
        peers.push(peer);
        return Promise.reject(new Error("no git in this test"));
      },
      commitsBeyondRefs: () => Promise.resolve(new Set()),
      unreachable: () => Promise.resolve([]),
    };
    const { api, helloRid, statusOf } = ask({ git });
    const path = `/${helloRid}.git/info/refs?service=git-upload-pack`;
    for (const forged of FORGED) await statusOf(path, ...forged);
    assert.deepEqual(peers, FORGED.map(() => "192.0.2.7"));
    await statusOf(path, OWNER);
    await statusOf(path, OWNER, { via: "1.1 proxy" });
    assert.deepEqual(peers.slice(FORGED.length), [undefined, TOGETHER]);
    await api.close();
  });
});

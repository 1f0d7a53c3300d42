/** To a stranger a private repository is one that does not exist: on every route, to the last header field. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiOptions, SeedingPolicy } from "../../mod.ts";
import type { Route } from "../../src/routes/call.ts";
import { allRoutes } from "../../src/routes/table.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { OWNER, STRANGER } from "../support/api.ts";
import { createTestIndex } from "../support/search.ts";
import { ALICE, createWorld, type World } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";
import { askChecked } from "../support/contract.ts";

/** All routes but those of sessions, which know of no repository, and of git. The last of two counts. */
const ROUTES: readonly Route[] = [
  ...new Map(allRoutes({ api: "both" }).map((route) => [`${route[0]} ${route[1]}`, route])).values(),
].filter(([, pattern]) => !/\/sessions|^\/:name/.test(pattern));

/** Handlers that the contract describes: those of version 1. */
const DESCRIBED: ReadonlySet<unknown> = new Set(allRoutes({ api: "v1" }).map(([, , handler]) => handler));

/** Stands for the private repository in paths. */
const SECRET_ALIAS = "hidden";

/** A kind of stranger. */
interface Stranger {
  readonly client?: unknown;
  readonly headers?: Record<string, string>;
  readonly options?: Partial<ApiOptions>;
}

const STRANGERS: Readonly<Record<string, Stranger>> = {
  "another machine": { client: STRANGER },
  "somebody unknown": { client: undefined },
  "a host that passes null": { client: null },
  "a host that passes an object of its own": { client: {} },
  "a host that passes a route context": { client: { params: {} } },
  "a host that passes Deno's information": {
    client: { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } },
  },
  "a foreign host name": { client: OWNER, headers: { host: "evil.example" } },
  "user information in the host": { client: OWNER, headers: { host: "localhost@evil.example" } },
  "a foreign page": { client: OWNER, headers: { origin: "https://evil.example" } },
  "an opaque page": { client: OWNER, headers: { origin: "null" } },
  "an image of a foreign page": {
    client: OWNER,
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" },
  },
  "a script of a foreign page": {
    client: OWNER,
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "script" },
  },
  "a proxy that names the sender": { client: OWNER, headers: { "x-forwarded-for": "127.0.0.1" } },
  "a proxy that names itself": { client: { transport: "unix" }, headers: { via: "1.1 proxy" } },
  "everybody behind a proxy": { client: OWNER, options: { behindProxy: true } },
};

/** The same world, but the private repository is not in it. */
function withoutSecret(world: World): Pick<ApiOptions, "storage"> {
  const { storage, secretRid } = world;
  return {
    storage: {
      repositoryIds: async () => (await storage.repositoryIds()).filter((rid) => rid !== secretRid),
      repository: (rid) => rid === secretRid ? undefined : storage.repository(rid),
    },
  };
}

/** Paths of a route with the private repository in every place where a repository is named. */
function pathsOf(pattern: string, { secretRid, secretHead, secret }: World): string[] {
  const blob = secret.put("blob", new TextEncoder().encode("Hello Private World!\n"));
  const names: Record<string, string[]> = {
    ":project": [secretRid, SECRET_ALIAS],
    ":rid": [secretRid, SECRET_ALIAS],
    ":did": [didOfNid(ALICE)],
    ":sha": [secretHead, "0".repeat(40), "x"],
    ":base": [secretHead],
    ":oid": [pattern.includes("blobs") ? blob : secretHead],
    ":id": [secretHead],
    ":peer": [ALICE],
    ":nid": [ALICE],
    ":delegate": [didOfNid(ALICE)],
    "*path": ["README", "missing"],
  };
  return pattern.split("/").reduce<string[]>(
    (paths, part) => paths.flatMap((path) => (names[part] ?? [part]).map((name) => `${path}/${name}`)),
    [""],
  ).map((path) => path.slice(1)).flatMap((
    path,
  ) => [path, `${path}?show=all&perPage=100&state=all&status=all&q=private`]);
}

async function makeApis(options: Partial<ApiOptions> = {}) {
  const world = createWorld();
  const policies: SeedingPolicy[] = [world.secretRid, world.helloRid].map((rid) => ({
    rid,
    scope: "all",
    policy: "allow",
  }));
  const profile = { nodeId: ALICE, alias: "tester", pinned: () => [world.secretRid, world.helloRid] };
  const make = (secretIsThere: boolean) =>
    createChangeApi({
      node: {
        ...createAbsentNode(),
        policies: () => Promise.resolve(secretIsThere ? policies : policies.slice(1)),
        inventory: () =>
          Promise.resolve(secretIsThere ? [world.secretRid, world.helloRid] : [world.helloRid]),
        seed: () => Promise.resolve(),
        unseed: () => Promise.resolve(),
      },
      profile,
      api: "both",
      aliases: { [SECRET_ALIAS]: world.secretRid },
      searchIndex: createTestIndex(),
      ...options,
      ...(secretIsThere ? {} : withoutSecret(world)),
    }, world);
  return { world, real: await make(true), other: await make(false) };
}

describe("a stranger is told the same of a private repository as of none", () => {
  for (const [name, { client, headers = {}, options }] of Object.entries(STRANGERS)) {
    it(name, async () => {
      const { world, real, other } = await makeApis(options);
      for (const [method, pattern, handler] of ROUTES) {
        for (const path of pathsOf(pattern, world)) {
          const ask = async ({ api, token }: typeof real, isSignedIn: boolean) => {
            const init = {
              method,
              headers: {
                ...headers,
                "content-type": "application/json",
                ...(isSignedIn && { authorization: `Bearer ${token}` }),
              },
              ...(method !== "GET" &&
                { body: JSON.stringify({ type: "lifecycle", state: { status: "open" } }) }),
            };
            const request = new Request(`http://localhost${path}`, init);
            const response = DESCRIBED.has(handler)
              ? await askChecked(api, request, client)
              : await api.fetch(request, client);
            // Live changes last; what strangers hear of them is tested with their route.
            const isLasting = response.headers.get("content-type") === "text/event-stream";
            if (isLasting) await response.body!.cancel();
            const text = isLasting ? "" : await response.text();
            return { status: response.status, headers: [...response.headers], text };
          };
          for (const isSignedIn of [false, true]) {
            const answer = await ask(real, isSignedIn);
            assert.deepEqual(answer, await ask(other, isSignedIn), `${method} ${path}`);
            assert.ok(answer.status < 500, `${method} ${path}: ${answer.status}`);
          }
        }
      }
    });
  }

  it("while the owner is shown it", async () => {
    const { world, real } = await makeApis();
    const { secretRid } = world;
    const paths = ["projects", "repos"].flatMap((
      name,
    ) => [`/${name}`, `/${name}/${secretRid}`, `/${name}/${SECRET_ALIAS}`]);
    for (const path of [...paths, "/repos/search", "/search", "/node/policies/repos"]) {
      const { status, body } = await real.get(`${path}?show=all&perPage=100&q=private`, OWNER);
      assert.equal(status, 200, path);
      assert.ok(JSON.stringify(body).includes(world.secretRid), path);
    }
  });
});

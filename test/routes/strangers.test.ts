/** To a stranger a private repository is one that does not exist: on every route, to the last header field. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import type { ApiOptions, SeedingPolicy, Storage } from "../../mod.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { parseCommitHeader } from "../../src/git/commit.ts";
import { encodeObjectHeader } from "../../src/git/encode.ts";
import { parseTree } from "../../src/git/tree.ts";
import type { Route } from "../../src/routes/call.ts";
import { allExtensions } from "../support/extensions.ts";
import { allRoutes } from "../../src/routes/table.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { FakeFiles } from "../storage/home/fake_files.ts";
import { OWNER, STRANGER, type TestOptions } from "../support/api.ts";
import { createTestIndex } from "../support/search.ts";
import { ALICE, createRepository, createWorld, putCommit, setHead, type World } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";
import { askChecked } from "../support/contract.ts";

/** All routes but those of sessions, which know of no repository, and of git. The last of two counts. */
const ROUTES: readonly Route[] = [
  ...new Map(allRoutes({ api: "both" }, allExtensions()).map((route) => [`${route[0]} ${route[1]}`, route]))
    .values(),
].filter(([, pattern]) => !/\/sessions|^\/:name/.test(pattern));

/** Handlers that the contract describes: those of version 1. */
const DESCRIBED: ReadonlySet<unknown> = new Set(
  allRoutes({ api: "v1" }, allExtensions()).map(([, , handler]) => handler),
);

/** Stands for the private repository in paths. */
const SECRET_ALIAS = "hidden";

/** A kind of stranger. */
interface Stranger {
  readonly client?: unknown;
  readonly headers?: Record<string, string>;
  readonly options?: TestOptions;
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

async function makeApis(options: TestOptions = {}) {
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

describe("a stranger gets the same answers for a private repository as for a missing one", () => {
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

describe("nothing that a stranger gets moves", () => {
  it("when something private happens", async () => {
    const world = createWorld();
    const { storage, hello, helloRid, secret, secretRid, commits } = world;
    const known: { pinned: RepoId[]; policies: SeedingPolicy[] } = { pinned: [helloRid], policies: [] };
    const { api } = await createChangeApi({
      node: {
        ...createAbsentNode(),
        policies: () => Promise.resolve(known.policies),
        inventory: () => Promise.resolve(known.pinned),
      },
      profile: { nodeId: ALICE, alias: "tester", pinned: () => known.pinned },
      api: "both",
      searchIndex: createTestIndex(),
    }, world);
    const paths = ROUTES.filter(([method, pattern]) => method === "GET" && !pattern.endsWith("/events"))
      .flatMap(([, pattern]) =>
        pathsOf(pattern, {
          ...world,
          secretRid: helloRid,
          secretHead: commits[2],
          secret: hello,
        })
      ).filter((path) => !path.includes(SECRET_ALIAS))
      .flatMap((path) => [path, `${path}${path.includes("?") ? "&" : "?"}page=1&show=pinned&q=private`]);
    const answers = async () => {
      const all = new Map<string, unknown>();
      for (const path of paths) {
        const { status, headers, body } = await api.handle(new Request(`http://localhost${path}`), STRANGER);
        const text = body === undefined ? "" : await new Response(
          body instanceof Uint8Array ? body as Uint8Array<ArrayBuffer> : body.stream as ReadableStream,
        ).text();
        all.set(path, { status, headers, text });
      }
      return all;
    };
    const before = await answers();
    const hidden = createRepository(storage, { name: "hidden", description: "private", isPrivate: true });
    known.pinned = [secretRid, hidden.rid, helloRid];
    known.policies = known.pinned.slice(0, 2).map((rid) => ({ rid, scope: "all", policy: "allow" }));
    setHead(secret, putCommit(secret, { folder: { README: "Another one\n" }, message: "Change\n" }));
    for (const [path, answer] of await answers()) assert.deepEqual(answer, before.get(path), path);
  });
});

/** An id that nothing has. */
const UNKNOWN = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5";

/** The same storage; `onCall` is told of each call of it and of its repositories. */
function watched(storage: Storage, onCall: (name: string) => void): Storage {
  const watchedObject = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          onCall(String(name));
          const result: unknown = value.apply(target, args);
          return name === "repository" && result !== undefined ? watchedObject(result as object) : result;
        };
      },
    });
  return watchedObject(storage);
}

describe("a stranger is refused by the same steps", () => {
  it("on every route, in both dialects, whether a repository is private or not there", async () => {
    const world = createWorld();
    const calls: string[] = [];
    const { api, token } = await createChangeApi({
      storage: watched(world.storage, (name) => calls.push(name)),
      api: "both",
      searchIndex: createTestIndex(),
    }, world);
    const routes = allRoutes({ api: "both" }, allExtensions()).filter(([, pattern]) =>
      /:(project|rid|name)/.test(pattern)
    );
    assert.ok(routes.length > 60, `${routes.length} routes`);
    let refusals = 0;
    for (const [method, pattern] of routes) {
      for (const path of pathsOf(pattern.replace(":name", ":rid"), world)) {
        if (path.includes(SECRET_ALIAS)) continue;
        const stepsTo = async (path: string) => {
          calls.length = 0;
          const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
          const body = method === "GET" ? undefined : JSON.stringify({ type: "lifecycle" });
          const request = new Request(`http://localhost${path}`, { method, headers, body: body ?? null });
          const response = await api.fetch(request, STRANGER);
          await response.body?.cancel();
          return { status: response.status, calls: calls.toSorted() };
        };
        const unknown = path.replaceAll(world.secretRid, UNKNOWN);
        // What the first request fills is filled.
        await stepsTo(path);
        await stepsTo(unknown);
        const [first, second] = [await stepsTo(path), await stepsTo(unknown)];
        assert.deepEqual(first, second, `${method} ${path}`);
        if (first.status === 404 && first.calls.length > 0) refusals++;
      }
    }
    assert.ok(refusals > 100, `${refusals} refusals`);
  });

  it("with as many calls of files, in a home", async () => {
    const files = new FakeFiles();
    const world = createWorld();
    for (const rid of world.storage.repositoryIds()) putFiles(files, world.storage.repository(rid)!);
    const storage = createHomeStorage({ root: "/storage", fileSystem: files });
    const { api } = await createChangeApi({ storage, api: "both" }, world);
    const paths = ["/api/v1/projects/?", "/api/v1/repos/?/issues", "/raw/?/head/README", "/?/info/refs"];
    for (const path of paths) {
      const callsFor = async (rid: string) => {
        Object.assign(files.calls, { read: 0, list: 0, stat: 0, open: 0 });
        const request = new Request(`http://localhost${path.replace("?", rid)}`);
        assert.equal((await api.fetch(request, STRANGER)).status, 404);
        return { ...files.calls };
      };
      await callsFor(world.secretRid);
      await callsFor(UNKNOWN);
      const calls = await callsFor(world.secretRid);
      assert.ok(calls.stat > 2);
      assert.deepEqual(await callsFor(UNKNOWN), calls, path);
    }
  });

  it("whatever a stand-in has become meanwhile", async () => {
    const world = createWorld();
    const { storage, secretRid } = world;
    const { get } = await createChangeApi({ storage }, world);
    for (const rid of [UNKNOWN, secretRid, UNKNOWN]) {
      assert.equal((await get(`/projects/${rid}`)).status, 404);
    }
    storage.delete(secretRid);
    for (const rid of [UNKNOWN, secretRid, UNKNOWN]) {
      assert.equal((await get(`/projects/${rid}`)).status, 404);
    }
    storage.delete(world.helloRid);
    assert.equal((await get(`/projects/${UNKNOWN}`)).status, 404);
    const failing: Storage = {
      repositoryIds: () => [secretRid],
      repository(rid) {
        if (rid === secretRid) throw new Error("cannot be read");
        return undefined;
      },
    };
    const { get: ask, log } = await createChangeApi({ storage: failing }, createWorld());
    assert.equal((await ask(`/projects/${UNKNOWN}`)).status, 404);
    assert.deepEqual(log, []);
  });
});

/** Puts the identity of a repository into files of a home. */
function putFiles(files: FakeFiles, repository: MemoryRepository): void {
  const path = `/storage/${repository.rid.slice("rad:".length)}`;
  const identity = repository.ref("refs/rad/id")!.oid!;
  files.put(`${path}/HEAD`, "ref: refs/heads/master\n");
  files.put(`${path}/refs/rad/id`, `${identity}\n`);
  const waiting = [identity];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    const { kind, bytes } = repository.object(oid)!;
    files.put(
      `${path}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`,
      zlibSync(joinBytes([encodeObjectHeader(kind, bytes.length), bytes])),
    );
    if (kind === "commit") waiting.push(parseCommitHeader(bytes).tree);
    else if (kind === "tree") { for (const entry of parseTree(bytes)) waiting.push(entry.oid); }
  }
}

/**
 * A repository that turns private while a stranger asks for it, at each call of a port in turn: the answer is
 * that of a service without it, and nothing more of it is sent.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiOptions, Client } from "../../mod.ts";
import { createApi } from "../../src/api.ts";
import { allExtensions } from "../support/extensions.ts";
import { allRoutes } from "../../src/routes/table.ts";
import type { Route } from "../../src/routes/call.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { GitProgram } from "../../extensions/git/git_program.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { OWNER, STRANGER } from "../support/api.ts";
import { createTestIndex } from "../support/search.ts";
import { ALICE, createWorld, putCommit, type World } from "../support/world.ts";

/** What strangers may read, git's requests included. Live changes have no end (`test/extensions/events/home.test.ts`). */
const READS: readonly Route[] = [
  ...new Map(allRoutes({ api: "both" }, allExtensions()).map((route) => [`${route[0]} ${route[1]}`, route]))
    .values(),
].filter(([method, pattern]) =>
  !pattern.includes("/sessions") && !pattern.endsWith("/events") &&
  (method === "GET" || pattern.endsWith("/git-upload-pack"))
);

/** All requests together make more calls than this. */
const FEWEST_CALLS = 200;

/** A commit with a file that no single piece of an answer has room for. */
const LARGE = "large ".repeat(12_000);

/** A world whose public repository can turn private, and a count of the calls of ports. */
class TurningWorld {
  readonly world: World = createWorld();
  readonly #public: Oid;
  readonly #private: Oid;
  readonly #commit: Oid;
  #nowMs = 1_673_100_000_000;
  /** Calls until it turns. */
  left = Infinity;
  /** Time that a call takes, in milliseconds. */
  msAtCall = 0;

  constructor() {
    const { hello, commits } = this.world;
    this.#public = hello.ref("refs/rad/id")!.oid!;
    this.#private = putCommit(hello, {
      folder: {
        embeds: {
          "radicle.json": JSON.stringify({
            delegates: [didOfNid(ALICE)],
            payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "hidden" } },
            threshold: 1,
            visibility: { type: "private" },
          }),
        },
      },
      message: "Hide\n",
    });
    this.#commit = putCommit(hello, {
      folder: { README: LARGE, "a.txt": LARGE, "b.txt": LARGE },
      parents: [commits[2]],
      message: "Large\n",
    });
  }

  /** Turns it, and lets the time pass after which a stranger is told nothing more of it. */
  hide(): void {
    this.world.hello.setRef("refs/rad/id", this.#private);
    this.#nowMs += 2000;
  }

  show(): void {
    this.world.hello.setRef("refs/rad/id", this.#public);
    this.left = Infinity;
  }

  get isHidden(): boolean {
    return this.left <= 0;
  }

  readonly #step = (): void => {
    this.#nowMs += this.msAtCall;
    if (--this.left === 0) this.hide();
  };

  /** The same port. Its calls, and those of repositories that it returns, count. */
  #counted<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          this.#step();
          const result = Reflect.apply(member, target, args);
          return name === "repository" && result !== undefined ? this.#counted(result) : result;
        };
      },
    });
  }

  /** Sends two pieces, one at a time. */
  #git(): GitProgram {
    const step = this.#step;
    return {
      uploadPack() {
        const pieces = ["first ", "second"].values();
        const rest = new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull(controller) {
            step();
            const { done, value } = pieces.next();
            if (done === true) controller.close();
            else controller.enqueue(new TextEncoder().encode(value));
          },
        }, { highWaterMark: 0 });
        return Promise.resolve({ start: new Uint8Array(0), rest, failure: undefined });
      },
      commitsBeyondRefs: () => Promise.resolve(new Set()),
      unreachable: () => Promise.resolve([]),
    };
  }

  /** An API on the world; without the repository as if it had never been there. */
  api(has: boolean, options: Partial<ApiOptions> = {}) {
    const { storage, helloRid } = this.world;
    const list = (rids: readonly (typeof helloRid)[]) => has ? rids : rids.filter((rid) => rid !== helloRid);
    const rids = list([helloRid]);
    return createApi({
      api: "both",
      storage: this.#counted({
        repositoryIds: () => list(storage.repositoryIds() as (typeof helloRid)[]),
        repository: (rid: typeof helloRid) => list([rid]).length === 0 ? undefined : storage.repository(rid),
      }),
      profile: { nodeId: ALICE, alias: "tester", pinned: () => rids },
      node: this.#counted({
        ...createAbsentNode(),
        policies: () => Promise.resolve(rids.map((rid) => ({ rid, scope: "all", policy: "allow" }))),
        inventory: () => Promise.resolve(rids),
      }),
      extensions: allExtensions({
        git: this.#counted(this.#git()),
        searchIndex: this.#counted(createTestIndex()),
      }),
      loadLibgit2: () => Promise.reject(new Error("no libgit2 in this test")),
      environment: { now: () => this.#nowMs },
      ...options,
    });
  }

  /** Paths of a route that name the repository and what is in it. */
  paths(pattern: string): string[] {
    const { helloRid, commits } = this.world;
    const names: Record<string, string[]> = {
      ":project": [helloRid],
      ":rid": [helloRid],
      ":name": [`${helloRid}.git`],
      ":did": [didOfNid(ALICE)],
      ":delegate": [didOfNid(ALICE)],
      ":sha": [commits[2]],
      ":base": [commits[0]],
      ":oid": [pattern.includes("blobs") ? BLOB : commits[2]],
      ":id": [commits[0]],
      ":peer": [ALICE],
      ":nid": [ALICE],
      ":archive": [`${this.#commit}.tar`, `${this.#commit}.zip`],
      "*ref": ["master"],
      "*path": pattern.includes("/tree/") ? ["dir1"] : ["README"],
    };
    const query = pattern.endsWith("info/refs")
      ? "?service=git-upload-pack"
      : "?show=all&perPage=100&state=all&status=all&q=hello";
    return pattern.split("/").reduce<string[]>(
      (paths, part) => paths.flatMap((path) => (names[part] ?? [part]).map((name) => `${path}/${name}`)),
      [""],
    ).map((path) => path.slice(1) + query);
  }

  /** Sends a request of a client of git, or another one. */
  request(method: string, path: string, headers: Record<string, string> = {}): Request {
    const isPack = method === "POST";
    return new Request(`http://localhost${path}`, {
      method,
      headers: { ...headers, ...(isPack && { "content-type": "application/x-git-upload-pack-request" }) },
      ...(isPack && { body: `0032want ${this.world.commits[2]}\n00000009done\n` }),
    });
  }
}

/** The blob of a file. */
const BLOB = "980a0d5f19a64b4b30a87d4206aade58726b60e3";

type Api = ReturnType<TurningWorld["api"]>;

/** An answer as far as it was sent. */
interface Sent {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Sends a request, and reads the answer. */
async function send(world: TurningWorld, api: Api, request: Request, client: Client = STRANGER) {
  const response = await api.fetch(request, client);
  const wasHidden = world.isHidden;
  const pieces: Uint8Array[] = [];
  const reader = response.body?.getReader();
  let [isMore, isWhole] = [false, true];
  try {
    for (let isHidden = wasHidden;; isHidden = world.isHidden) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      pieces.push(piece.value);
      isMore ||= isHidden && !wasHidden;
    }
  } catch {
    isWhole = false;
  }
  const text = new TextDecoder().decode(joinBytes(pieces));
  const answer: Sent = { status: response.status, headers: [...response.headers], text };
  return {
    answer,
    /** Whether the answer began after the repository had turned private. */
    wasHidden,
    /** Whether the client got more after it had turned, of an answer that began before. */
    isMore,
    isWhole,
  };
}

/** Asks for a path while the repository turns private at one call after the other. Returns their number. */
async function turnAtEachCall(
  world: TurningWorld,
  { method, path, isWarm }: { readonly method: string; readonly path: string; readonly isWarm: boolean },
): Promise<number> {
  const without = world.api(false);
  const { answer: expected } = await send(world, without, world.request(method, path));
  await without.close();
  for (let calls = 1;; calls++) {
    const api = world.api(true);
    const headers: Record<string, string> = {};
    if (isWarm) {
      const { answer } = await send(world, api, world.request(method, path));
      const tag = new Map(answer.headers).get("etag");
      if (tag !== undefined && calls % 2 === 0) headers["if-none-match"] = tag;
    }
    world.left = calls;
    const { answer, wasHidden, isMore, isWhole } = await send(
      world,
      api,
      world.request(method, path, headers),
    );
    const isOver = !world.isHidden;
    world.show();
    await api.close();
    // A packed archive is read ahead: it may turn when its answer has begun and nothing has been sent.
    const isBrokenOff = !isWhole && answer.text === "";
    if (wasHidden && !isBrokenOff) {
      assert.deepEqual(answer, expected, `${method} ${path}, turned at call ${calls}`);
    }
    assert.ok(!isMore, `${method} ${path}, turned at call ${calls}: more was sent`);
    if (isOver) return calls - 1;
  }
}

describe("a repository that turns private at any call of a port", () => {
  for (const isWarm of [false, true]) {
    it(`is not there for a stranger who asks ${isWarm ? "again" : "for the first time"}`, async () => {
      const world = new TurningWorld();
      let calls = 0;
      for (const [method, pattern] of READS) {
        for (const path of world.paths(pattern)) {
          calls += await turnAtEachCall(world, { method, path, isWarm });
        }
      }
      assert.ok(calls > FEWEST_CALLS, `${calls} calls`);
    });
  }

  it("is there for the owner all the time", async () => {
    const world = new TurningWorld();
    const api = world.api(true);
    for (const [method, pattern] of READS) {
      for (const path of world.paths(pattern)) {
        const { answer: before } = await send(world, api, world.request(method, path), OWNER);
        world.left = 3;
        const { answer, isWhole } = await send(world, api, world.request(method, path), OWNER);
        assert.equal(answer.status, before.status, `${method} ${path}`);
        assert.ok(isWhole);
        world.show();
      }
    }
  });

  it("is checked again when the time is over, not before", async () => {
    const world = new TurningWorld();
    const api = world.api(true);
    const { rid } = world.world.hello;
    const ask = async () => {
      world.left = 1e6;
      await send(world, api, world.request("GET", `/raw/${rid}/blobs/${BLOB}`));
      return 1e6 - world.left;
    };
    await ask();
    const calls = await ask();
    // It is looked at with the first call.
    world.msAtCall = Math.ceil(2000 / (calls - 1));
    assert.ok(await ask() > calls);
    world.msAtCall = Math.floor(1000 / calls);
    assert.equal(await ask(), calls);
  });
});

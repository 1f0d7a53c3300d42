/** What a service asks of itself after its start. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { warmUp } from "../../../adapters/home/warm_up.ts";
import type { Api } from "../../../mod.ts";

/** An API of `count` projects that notes what it was asked. */
function recordingApi(
  count: number,
  onAsked = (_path: string) => {},
): { api: Pick<Api, "fetch">; asked: string[] } {
  const asked: string[] = [];
  const projects = Array.from({ length: count }, (_, i) => ({ id: `rad:z${i}`, head: "a".repeat(40) }));
  const api: Pick<Api, "fetch"> = {
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      onAsked(pathname);
      const isPinned = search.includes("show=pinned");
      return Promise.resolve(
        pathname.endsWith("/projects")
          ? Response.json(isPinned ? projects.slice(-1) : projects)
          : new Response("no JSON", { status: 500 }),
      );
    },
  };
  return { api, asked };
}

const projectsOf = (asked: readonly string[]) => [
  ...new Set(asked.flatMap((path) => /\/projects\/(rad:z\d+)/.exec(path)?.[1] ?? [])),
];

describe("warmUp", () => {
  it("asks for the pinned projects first, below the path where the API is mounted", async () => {
    const { api, asked } = recordingApi(2);
    await warmUp(api, "/radicle/", new AbortController().signal);
    assert.ok(asked.every((path) => path.startsWith("/radicle/api/v1/projects")));
    assert.deepEqual(projectsOf(asked), ["rad:z1", "rad:z0"]);
  });

  it("asks for some projects, however many there are", async () => {
    const { api, asked } = recordingApi(1000);
    await warmUp(api, "", new AbortController().signal);
    const { length } = projectsOf(asked);
    assert.ok(length > 2 && length < 100, `${length} projects`);
  });

  it("makes diffs of the newest commits, shared with the workers", async () => {
    const oids = Array.from({ length: 100 }, (_, i) => `c${i}`);
    const asked: string[] = [];
    let isReady = false;
    const api: Pick<Api, "fetch"> = {
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (isReady) asked.push(`${pathname}${search}`.replace("/api/v1/projects/rad:z1", ""));
        return Promise.resolve(Response.json(
          pathname.endsWith("/projects")
            ? [{ id: "rad:z1", head: "c0" }]
            : { commits: oids.map((id) => ({ commit: { id } })) },
        ));
      },
    };
    await warmUp(api, "", new AbortController().signal, { warmUp: () => isReady = true });
    const [history, ...diffs] = asked;
    assert.match(history!, /^\/commits\?parent=c0&perPage=\d+&diff=none$/);
    const length = Number(/perPage=(\d+)/.exec(diffs[0]!)![1]);
    assert.deepEqual(diffs.slice(0, 4), [
      `/commits?parent=c0&perPage=${length}&page=0`,
      `/diff/c${length}/c0`,
      `/commits?parent=c0&perPage=${length}&page=1`,
      `/diff/c${2 * length}/c${length}`,
    ]);
  });

  it("lets projects take turns", async () => {
    const asked: string[] = [];
    const commits = Array.from({ length: 100 }, (_, i) => ({ commit: { id: `c${i}` } }));
    const api: Pick<Api, "fetch"> = {
      fetch(request) {
        const { pathname, searchParams } = new URL(request.url);
        if (searchParams.has("page")) asked.push(`${pathname.split("/")[4]} ${searchParams.get("page")}`);
        const projects = ["rad:z0", "rad:z1"].map((id) => ({ id, head: "c0" }));
        return Promise.resolve(Response.json(pathname.endsWith("/projects") ? projects : { commits }));
      },
    };
    await warmUp(api, "", new AbortController().signal);
    assert.deepEqual(asked.slice(0, 4), ["rad:z0 0", "rad:z1 0", "rad:z0 1", "rad:z1 1"]);
  });

  it("stops when the service ends", async () => {
    const ending = new AbortController();
    const { api, asked } = recordingApi(3, (path) => path.endsWith("/remotes") && ending.abort());
    await warmUp(api, "", ending.signal);
    assert.ok(asked.at(-1)!.endsWith("/remotes"));
  });
});

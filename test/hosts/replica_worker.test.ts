/** `examples/replica_worker.ts` in workerd: a published home in a bucket of R2, answered as beside the home. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createHomeApi, type HomeApi } from "../../adapters/node/mod.ts";
import { PUBLISHED_HOMES } from "../replay/published_reads.ts";
import { HOME } from "./consumer.ts";
import { bundleReplicaWorker, compareReads, type ReplicaWorker } from "./replica_in_workerd.ts";

/** Recordings of the home, of each about so many reads. `long/` sends all. */
const BROWSE = PUBLISHED_HOMES.find(({ archive }) => archive === "browse.tar.gz")!;
const READS = 60;

let worker: ReplicaWorker;
before(async () => {
  const start = await bundleReplicaWorker();
  worker = start();
});
after(() => worker?.close());

/** Lists, trees, histories with their diffs. */
async function pathsOf({ api }: HomeApi): Promise<string[]> {
  const read = async (path: string) => await (await api.fetch(new Request(`http://localhost${path}`))).json();
  const paths = ["/api/v1/projects"];
  for (const { id, head } of (await read("/api/v1/projects")).slice(0, 4)) {
    const project = `/api/v1/projects/${id}`;
    paths.push(
      project,
      `${project}/commits?perPage=30`,
      `${project}/commits/${head}`,
    );
    paths.push(
      `${project}/tree/${head}/`,
      `${project}/issues`,
      `${project}/patches`,
    );
    const [{ commit: { id: parent } } = { commit: { id: head } }] =
      (await read(`${project}/commits?perPage=30`)).commits.slice(-1);
    paths.push(`${project}/diff/${parent}/${head}`);
  }
  return paths;
}

describe("examples/replica_worker.ts", () => {
  it("answers 503 until something is published, then as the home", async () => {
    const early = await worker.ask("/api/v1/projects");
    assert.equal(early.status, 503);
    await early.body?.cancel();
    const home = await createHomeApi({ home: HOME, behindProxy: true });
    await worker.publish(home);
    // It looks for the description again once a second at most.
    for (let status = 503; status === 503;) {
      const { status: next, body } = await worker.ask("/api/v1/projects");
      await body?.cancel();
      status = next;
    }
    for (const path of await pathsOf(home)) {
      const expected = await home.api.fetch(
        new Request(`http://localhost${path}`),
      );
      const answer = await worker.ask(path);
      assert.equal(answer.status, expected.status, path);
      assert.equal(await answer.text(), await expected.text(), path);
    }
    await home.close();
  });

  it("answers recorded reads as the home", async () => {
    const { ok } = await compareReads(worker, HOME, BROWSE, READS);
    assert.ok(ok > READS / 2, `${ok} answers of 200`);
  });

  it("refuses changes, and shows nothing of the owner", async () => {
    for (
      const [path, status] of [["/api/v1/sessions", 503], [
        "/api/v1/profile",
        401,
      ]] as const
    ) {
      const answer = await worker.ask(
        path,
        path.endsWith("sessions") ? { method: "POST" } : {},
      );
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get("via"), "1.1 xylem-replica");
      await answer.body?.cancel();
    }
  });
});

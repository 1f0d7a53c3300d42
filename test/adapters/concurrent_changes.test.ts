/** Services of all runtimes on one home, with the same key, changing the same issue at the same time. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { signerOf } from "../support/keys.ts";
import {
  removeFolder,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

/** The home's key, and a repository of which it is the delegate. */
const SEED = "07".repeat(32);
const RID = "rad:z3Avj7G9Sh8v5Br5GXM9MydxYkmhm";
const CHANGES = 12;

describe("services that change the same issue at the same time", () => {
  const folder = temporaryFolder("concurrent-changes");
  const services: Service[] = [];
  let home: string;
  before(async () => {
    home = unpackHome("desk.tar.gz", folder);
    services.push(...await Promise.all(RUNTIMES.map((runtime) => startService(runtime, home))));
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    removeFolder(folder);
  });

  it("lose nothing, and leave all of it signed", async () => {
    const signer = await signerOf(SEED);
    const project = (service: Service) => `${service.url}/api/v1/projects/${RID}`;
    const requesters = await Promise.all(services.map(async (service) => {
      const token = await openAuthorized(service.url, signer);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return async (method: string, path: string, body: unknown) => {
        const response = await fetch(project(service) + path, {
          method,
          headers,
          body: JSON.stringify(body),
        });
        const answer = await response.json();
        assert.ok(response.ok, JSON.stringify(answer));
        return answer.id as string;
      };
    }));
    const issue = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
    const id = await requesters[0]!("POST", "/issues", issue);
    const bodies = requesters.flatMap((ask, i) =>
      Array.from({ length: CHANGES }, (_, n) => ({ ask, body: `${RUNTIMES[i]} ${n}` }))
    );
    const entries = await Promise.all(
      bodies.map(({ ask, body }) => ask("PATCH", `/issues/${id}`, { type: "comment", body, replyTo: id })),
    );
    assert.equal(new Set(entries).size, bodies.length);
    for (const service of services) {
      const { discussion } = await (await fetch(`${project(service)}/issues/${id}`)).json();
      const said = discussion.slice(1).map((comment: { body: string }) => comment.body);
      assert.deepEqual(said.sort(), bodies.map(({ body }) => body).sort());
    }

    const git = (...args: string[]) => {
      const storage = join(home, "storage", RID.slice("rad:".length));
      const done = spawnSync("git", ["-c", "safe.directory=*", "--git-dir", storage, ...args], {
        encoding: "utf8",
      });
      assert.equal(done.status, 0, done.stderr);
      return done.stdout;
    };
    git("fsck", "--full", "--strict");
    const namespace = `refs/namespaces/${signer.nodeId}/refs`;
    const tip = git("rev-parse", `${namespace}/cobs/xyz.radicle.issue/${id}`).trim();
    const signed = git("show", `${namespace}/rad/sigrefs:refs`);
    assert.ok(signed.includes(`${tip} refs/cobs/xyz.radicle.issue/${id}\n`));
    for (const service of services) assert.doesNotMatch(service.output(), / (warn|error) /);
  });
});

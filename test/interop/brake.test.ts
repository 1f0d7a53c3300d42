/**
 * Entries of the node's own reference that do not count here: a change over HTTP is refused as long as it would
 * lose one, `rad` keeps all that it counts, and after one change by `rad` that leaves such an entry behind, changes
 * over HTTP go on. Nor is anything written that the programs of the home would drop.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { toChange } from "../../src/cob/write/change.ts";
import { issueType } from "../../src/cob/evaluation/object_types.ts";
import { RULES } from "../../src/cob/rules.ts";
import { ObjectStore } from "../../src/cob/evaluation/store.ts";
import { createDocsByCommit } from "../../src/cob/evaluation/evaluation_context.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { isWritable } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createWriter as createPerson, putEntry } from "../cob/entries.ts";
import { createWriter } from "../cob/fixture_world.ts";
import { signerOf } from "../support/keys.ts";
import { until } from "../support/patience.ts";
import { GENERATIONS } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSameState,
  assertSigned,
  createContributorsProject,
  createWrittenProject,
  entriesInRad,
  newComment,
  newIssue,
  RefusedError,
  type WrittenProject,
} from "./written_project.ts";

const TYPE = "xyz.radicle.issue";
const { folder, serve } = createServedHomes("brake");

async function refOf({ seed }: WrittenProject, issue: string): Promise<string> {
  return `refs/namespaces/${(await signerOf(seed)).nodeId}/refs/cobs/${TYPE}/${issue}`;
}

function comment({ rad, rid }: WrittenProject, issue: string, message: string): void {
  rad.rad(dirname(rad.home), "issue", "comment", issue, "--message", message, "--no-announce", "--repo", rid);
}

for (const generation of GENERATIONS) {
  describe(`next to rad ${generation}`, () => {
    it("an entry that rad counts and a broken evaluation drops is not lost", async () => {
      const project = createWrittenProject(generation, join(folder, `${generation}-strict`));
      const { client } = await serve(project);
      const issue = await client.send("POST", "/issues", newIssue("Kept"));
      const ref = await refOf(project, issue);
      comment(project, issue, "by rad");
      const byRad = project.git.text(["rev-parse", ref]);

      const storage = createHomeStorage({ root: join(project.rad.home, "storage"), fileSystem });
      try {
        const repository = storage.repository(project.rid)!;
        assert.ok(isWritable(repository));
        const log: string[] = [];
        const broken: typeof issueType = {
          ...issueType,
          *decode(value, rules) {
            const action = yield* issueType.decode(value, rules);
            return JSON.stringify(action).includes("by rad") ? undefined : action;
          },
        };
        const store = new ObjectStore(broken, RULES.newest, { docs: createDocsByCommit(), log: () => {} });
        const { writer, place } = createWriter({ repository, signer: await signerOf(project.seed) }, {
          rules: "newest",
          log: (_level, message) => void log.push(message),
        });
        const web = () =>
          writer.update(
            store,
            place,
            issue as Oid,
            () => toChange(repository, { type: "comment", body: "web", replyTo: issue as Oid, embeds: [] }),
          );
        await assert.rejects(web, new RegExp(`lose entry ${byRad}.*with rad`));
        assert.equal(project.git.text(["rev-parse", ref]), byRad);
        assert.match(log.join("\n"), new RegExp(byRad));
        // Whatever rad writes on top of it is kept as well.
        comment(project, issue, "once more, by rad");
        await assert.rejects(web, new RegExp(`lose entry ${byRad}`));
      } finally {
        storage.close();
      }

      const before = entriesInRad(project, issue);
      assert.ok(before.has(byRad) && before.size === 3);
      const entry = await client.send("PATCH", `/issues/${issue}`, newComment(issue, "web"));
      assert.deepEqual(entriesInRad(project, issue), new Set([...before, entry]));
      assertIntact(project);
      await assertSigned(project);
    });

    it("after one change by rad, writing goes on past an entry that rad does not count", async () => {
      const project = createWrittenProject(generation, join(folder, `${generation}-lenient`));
      const { service, client } = await serve(project);
      const issue = await client.send("POST", "/issues", newIssue("Goes on"));
      const first = await client.send("PATCH", `/issues/${issue}`, newComment(issue, "first"));
      const ref = await refOf(project, issue);
      // As an earlier evaluation may have left it: nobody knows such an action.
      const odd = putEntry(project.git, {
        writer: createPerson(parseInt(project.seed.slice(0, 2), 16)),
        actions: [{ type: "pin" }],
        parents: [first as Oid],
        resource: project.git.text(["rev-parse", "refs/rad/id"]) as Oid,
      });
      project.git.setRef(ref, odd);

      const web = (body: string) => client.send("PATCH", `/issues/${issue}`, newComment(issue, body));
      await assert.rejects(
        () => web("refused"),
        (error) => error instanceof RefusedError && error.status === 409 && error.message.includes(odd),
      );
      assert.equal(project.git.text(["rev-parse", ref]), odd);
      await until(() => service.output().includes(`lose entry ${odd}`));

      comment(project, issue, "by rad");
      const byRad = project.git.text(["rev-parse", ref]);
      const next = await web("second");
      comment(project, issue, "again by rad");
      const last = project.git.text(["rev-parse", ref]);
      assert.deepEqual(entriesInRad(project, issue), new Set([issue, first, byRad, next, last]));
      const bodies = (await client.read(`/issues/${issue}`)).discussion.map(({ body }: { body: string }) =>
        body
      );
      assert.deepEqual(bodies.slice(1), ["first", "by rad", "second", "again by rad"]);
      // Earlier ones cannot show what is stored.
      if (generation === "newest") await assertSameState(project, TYPE, issue);
      assertIntact(project);
      await assertSigned(project);
    });

    it("nothing is written that it would drop, whatever the rules that objects are shown by", async () => {
      const founded = createWrittenProject(generation, join(folder, `${generation}-founder`));
      const project = createContributorsProject(generation, join(folder, `${generation}-bob`), founded);
      const { client } = await serve(project, { args: ["--evaluation", "2024"] });
      const draft = newIssue("By a contributor");
      await assert.rejects(
        () => client.send("POST", "/issues", { ...draft, labels: ["dim"] }),
        (error) => error instanceof RefusedError && error.status === 403,
      );
      assert.deepEqual(project.git.refs().filter(({ name }) => name.includes(`/cobs/${TYPE}/`)), []);
      const issue = await client.send("POST", "/issues", draft);
      const entry = await client.send("PATCH", `/issues/${issue}`, newComment(issue, "web"));
      comment(project, issue, "by rad");
      const last = await client.send("PATCH", `/issues/${issue}`, { type: "edit", title: "By the web" });
      const entries = entriesInRad(project, issue);
      assert.ok(entries.size === 4 && [issue, entry, last].every((id) => entries.has(id)));
    });
  });
}

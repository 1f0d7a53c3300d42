/** A repository that names no identity document can be written to all the same, as `rad` does. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { GENERATIONS, RUNTIMES } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSigned,
  createWrittenProject,
  entriesInRad,
  newComment,
  newIssue,
} from "./written_project.ts";

const { folder, serve } = createServedHomes("unnamed");

for (const [i, generation] of GENERATIONS.entries()) {
  it(`what is written without refs/rad/id is read by rad ${generation}, which goes on with it`, async () => {
    const project = createWrittenProject(generation, join(folder, generation));
    const { rad, rid, git } = project;
    git.run(["update-ref", "-d", "refs/rad/id"]);
    const { service, client } = await serve(project, { runtime: RUNTIMES[i]! });
    const issue = await client.send("POST", "/issues", newIssue("Unnamed"));
    const entry = await client.send("PATCH", `/issues/${issue}`, newComment(issue, "ours"));
    rad.rad(folder, "issue", "comment", issue, "--message", "theirs", "--repo", rid, "--no-announce");
    assert.ok(entriesInRad(project, issue).has(entry));
    const { discussion } = await client.read(`/issues/${issue}`);
    assert.deepEqual(discussion.slice(1).map(({ body }: { body: string }) => body), ["ours", "theirs"]);
    assertIntact(project);
    await assertSigned(project);
    await service.stop();
  });
}

/** Texts that the newest `rad` writes are found after its references have moved; what it keeps private, by the owner alone, until it is published. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { RUNTIMES } from "../support/programs.ts";
import { createServedHomes } from "./served_homes.ts";
import { createWrittenProject, type WrittenProject } from "./written_project.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Makes a stranger of a client on the same machine. */
const STRANGER = { "x-forwarded-for": "192.0.2.7" };

interface Found {
  readonly title: string;
  readonly status?: string;
}

const { folder, serve } = createServedHomes("search");

async function find(url: string, words: string, headers: Record<string, string>): Promise<readonly Found[]> {
  const response = await fetch(`${url}/api/v1/search?q=${encodeURIComponent(words)}`, { headers });
  assert.equal(response.status, 200);
  return await response.json();
}

/** Searches until these titles are found. */
async function findUntil(
  url: string,
  words: string,
  titles: readonly string[],
  headers: Record<string, string> = STRANGER,
): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS;;) {
    const found = (await find(url, words, headers)).map(({ title }) => title);
    if (JSON.stringify(found) === JSON.stringify(titles)) return;
    assert.ok(Date.now() < deadline, `${words}: ${found}, expected ${titles}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

describe("search together with the newest rad", () => {
  let project: WrittenProject;
  before(() => {
    project = createWrittenProject("newest", join(folder, "newest"));
  });

  for (const runtime of RUNTIMES) {
    it(`finds what it writes, on ${runtime}`, async () => {
      const { rad, rid } = project;
      const cache = join(folder, `cache-${runtime}`);
      const { service: { url, stop } } = await serve(project, { runtime, args: ["--cache", cache] });
      const title = `Walnut ${runtime}`;
      await findUntil(url, title, []);
      const opened = rad.rad(
        folder,
        "issue",
        "open",
        "--repo",
        rid,
        "--title",
        title,
        "--description",
        "under the hedge",
        "--no-announce",
      );
      const [id] = /\b[0-9a-f]{40}\b/.exec(opened) ?? assert.fail(opened);
      await findUntil(url, `${title} hedge`, [title]);
      rad.rad(
        folder,
        "issue",
        "comment",
        id,
        "--repo",
        rid,
        "--message",
        `squirrel${runtime}`,
        "--no-announce",
      );
      await findUntil(url, `squirrel${runtime}`, [title]);
      rad.rad(
        folder,
        "issue",
        "edit",
        id,
        "--repo",
        rid,
        "--title",
        `Hazel ${runtime}`,
        "--description",
        "gone",
        "--no-announce",
      );
      await findUntil(url, title, []);
      await findUntil(url, "hedge", []);

      const secret = join(folder, `secret-${runtime}`);
      mkdirSync(secret);
      rad.git(secret, "init", "--quiet");
      rad.git(secret, "commit", "--quiet", "--allow-empty", "--message", "Start");
      rad.init(secret, `chestnut-${runtime}`, { description: "private", flags: ["--private"] });
      await findUntil(url, `chestnut ${runtime}`, [`chestnut-${runtime}`], {});
      assert.deepEqual(await find(url, `chestnut ${runtime}`, STRANGER), []);
      const hasPrivateFile = () => readdirSync(cache).some((name) => name.endsWith(".private.db"));
      assert.ok(existsSync(cache) && hasPrivateFile());
      rad.rad(secret, "publish");
      await findUntil(url, `chestnut ${runtime}`, [`chestnut-${runtime}`]);
      for (const deadline = Date.now() + PATIENCE_MS; hasPrivateFile();) {
        assert.ok(Date.now() < deadline);
        await find(url, "chestnut", {});
      }
      await stop();
    });
  }
});

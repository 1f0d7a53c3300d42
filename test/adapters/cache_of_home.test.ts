/** The cache folder of a home that is served, on whichever runtime runs this test. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { GitRepository } from "../support/git.ts";
import { makeHome } from "./cli/command.ts";
import { adapter } from "./this_runtime.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ID = "z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
/** A history long enough that its index is saved. */
const COMMITS = 300;
/** A file of the history. */
const PATH = "src/file1.txt";

let folder: string, home: string, head: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-cache-"));
  home = makeHome(join(folder, "home"));
  mkdirSync(join(home, "storage"), { recursive: true });
  const git = GitRepository.create(join(home, "storage", ID));
  git.importHistory(COMMITS);
  head = git.text(["rev-parse", "main"]);
});
after(() => rmSync(folder, { recursive: true }));

/** What a process answers that starts now; it counts as the owner's client, since the repository has no identity. */
async function answers(cachePath?: string): Promise<string[]> {
  const { api } = await adapter.createHomeApi({ home, ...(cachePath !== undefined && { cachePath }) });
  const texts: string[] = [];
  for (const path of [`blob/${head}/${PATH}`, `tree/${head}/src`, `tree/${head}/`]) {
    const request = new Request(`http://localhost/api/v1/projects/rad:${ID}/${path}`);
    const response = await api.fetch(request, { transport: "unix" });
    assert.equal(response.status, 200);
    texts.push(await response.text());
  }
  return texts;
}

/** The file in a cache folder, once it is there. */
async function keptFile(path: string): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const [name] = existsSync(path) ? readdirSync(path).filter((entry) => entry.endsWith(".xylem")) : [];
    if (name !== undefined) return join(path, name);
    await new Promise((resume) => setTimeout(resume, 10));
  }
  return assert.fail("nothing was kept");
}

describe("a service with a cache folder", () => {
  it("keeps an index outside of the home, and answers the same with it", async () => {
    const path = join(folder, "kept");
    const expected = await answers();
    assert.deepEqual(await answers(path), expected);
    const bytes = readFileSync(await keptFile(path));
    assert.deepEqual(await answers(path), expected);
    assert.deepEqual(readFileSync(await keptFile(path)), bytes);
    assert.ok(!readdirSync(home).includes("kept"));
  });

  it("answers the same when saved data is damaged, and saves it again", async () => {
    const path = join(folder, "damaged");
    const expected = await answers(path);
    const file = await keptFile(path);
    const bytes = readFileSync(file);
    rmSync(file);
    writeFileSync(file, bytes.subarray(0, -7));
    assert.deepEqual(await answers(path), expected);
    for (const deadline = Date.now() + PATIENCE_MS; readFileSync(file).length < bytes.length;) {
      assert.ok(Date.now() < deadline);
      await new Promise((resume) => setTimeout(resume, 10));
    }
    assert.deepEqual(readFileSync(file), bytes);
  });

  it("answers the same when the folder cannot be used", async () => {
    const expected = await answers();
    const path = join(folder, "refused");
    writeFileSync(path, "a file");
    chmodSync(path, 0o400);
    assert.deepEqual(await answers(join(path, "below")), expected);
  });
});

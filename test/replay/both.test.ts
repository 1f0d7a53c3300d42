/** Where both dialects have a route, its answer has the members of both recorded ones. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Buffer } from "node:buffer";
import { adapter } from "../adapters/this_runtime.ts";
import type { HomeApi } from "../../adapters/home/home.ts";
import { askChecked } from "../support/contract.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import { readDeviations } from "./deviations.ts";
import { applyChanges, ofAnswer, ofRecorded } from "./expected.ts";
import { Placeholders } from "./placeholders.ts";
import { readLines, type Recorded } from "./recordings.ts";

/** Paths that both recorded services answered, but for the root of the service, which version 1 lacked. */
const SHARED = /^\/(?:api(?:\/v1(?:\/stats|\/node|\/nodes\/z\w+)?)?)?$/;
const RECORDINGS = ["today/v1-f-browse", "today/x-browse-general"];

/** Whether a value has all that another one has: members of objects, items of lists. */
function contains(answer: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return answer === part;
  if (typeof answer !== "object" || answer === null) return false;
  if (Array.isArray(part)) {
    return part.every((item) => Array.isArray(answer) && answer.some((one) => isDeepStrictEqual(one, item)));
  }
  return Object.entries(part).every(([name, value]) =>
    contains((answer as Record<string, unknown>)[name], value)
  );
}

/** What is expected of a dialect, by path. */
function expectedOf(recording: string): Map<string, unknown> {
  const deviations = new Map(
    readDeviations().filter((one) => one.recording === recording).map((one) => [one.line, one]),
  );
  const expected = new Map<string, unknown>();
  for (const [at, line] of (readLines(recording) as Recorded[]).entries()) {
    const { method, path, status } = line;
    if (method !== "GET" || !SHARED.test(path) || path === "/" && status === 404) continue;
    const changes = deviations.get(at + 1);
    const { content } = changes === undefined ? ofRecorded(line) : applyChanges(ofRecorded(line), changes);
    expected.set(path, "json" in content ? content.json : undefined);
  }
  return expected;
}

describe("a service of both dialects", () => {
  const folder = temporaryFolder("both");
  const [v1, today] = RECORDINGS.map(expectedOf) as [Map<string, unknown>, Map<string, unknown>];
  let home: HomeApi;
  before(async () => {
    const path = unpackHome("today/today-browse.tar.gz", folder);
    home = await adapter.createHomeApi({ home: path, behindProxy: true });
  });
  after(async () => {
    await home.close();
    removeFolder(folder);
  });

  it("shares the roots, the statistics, the node and other nodes", () => {
    const both = [...v1.keys()].filter((path) => today.has(path));
    assert.deepEqual(both.filter((path) => !path.includes("/nodes/")).sort(), [
      "/api",
      "/api/v1",
      "/api/v1/node",
      "/api/v1/stats",
    ]);
    assert.ok(both.some((path) => path.includes("/nodes/")));
    assert.ok(today.has("/"));
  });

  it("answers them with the members of both", async () => {
    const placeholders = new Placeholders(home.home);
    for (const path of new Set([...v1.keys(), ...today.keys()])) {
      const response = await askChecked(home.api, new Request(`http://localhost${path}`));
      const { content } = ofAnswer({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      }, (text) => placeholders.toRecorded(text, {} as Recorded, 0));
      assert.ok("json" in content, path);
      for (const expected of [v1.get(path), today.get(path)]) {
        if (expected === undefined) continue;
        const message: string = `${path}: ${JSON.stringify(content.json)} lacks some of ${
          JSON.stringify(expected)
        }`;
        assert.ok(contains(content.json, expected), message);
      }
    }
  });
});

/** What was recorded of the node, its profile and delegates on homes with one peculiarity each, asked again in this process by the owner. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { createHomeApi, type HomeOptions } from "../../adapters/node/mod.ts";
import { OWNER } from "../support/api.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** A line of the recording; see test/fixtures/README.md. */
interface Recorded {
  readonly home: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- as recorded
  readonly body?: any;
}
interface Opening {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly startFails?: boolean;
}
interface Part {
  readonly opening: Opening;
  readonly questions: readonly Recorded[];
}

/** Here a repository refers to an object that is missing: the recorded service dropped it from lists, ours leaves out the object alone. */
const SHOWS_MORE = "edge-nopatchdir";

const MINE = /^\/api\/v1\/(node|nodes|delegates|profile)(\/|$)/;

function readParts(): Part[] {
  const recording = gunzipSync(readFileSync(new URL("../fixtures/edges/edges.jsonl.gz", import.meta.url)));
  const parts: (Part & { readonly questions: Recorded[] })[] = [];
  for (const text of recording.toString("utf8").trim().split("\n")) {
    const line: Opening | Recorded = JSON.parse(text);
    if ("env" in line) parts.push({ opening: line, questions: [] });
    else if (line.method === "GET" && MINE.test(line.path)) parts.at(-1)!.questions.push(line);
  }
  return parts.filter(({ questions }) => questions.length > 0);
}

const folder = temporaryFolder("edges");
after(() => removeFolder(folder));

for (const { opening, questions } of readParts()) {
  describe(`${opening.home} with ${JSON.stringify(opening.env)}`, () => {
    const options: HomeOptions = {
      home: unpackHome(`edges/${opening.home}.tar.gz`, folder),
      user: () => opening.env["USER"],
      environment: { log: () => {} },
    };
    const made = createHomeApi(options);
    for (const { path, status, body } of questions) {
      it(`GET ${path} answers ${status === 500 ? "in order, where it failed" : "what was recorded"}`, async () => {
        const { api } = await made;
        const answer = await api.fetch(new Request(`http://localhost${path}`), OWNER);
        const got = await answer.json();
        if (status === 500) return assert.ok(answer.status < 500);
        assert.equal(answer.status, status);
        const expected = JSON.parse(JSON.stringify(body).replace("{{HOME}}", options.home));
        const isLonger = opening.home === SHOWS_MORE && path.includes("/delegates/");
        const ids = new Set(Array.isArray(expected) ? expected.map(({ id }) => id) : []);
        const shown = isLonger ? got.filter(({ id }: { id: string }) => ids.has(id)) : got;
        assert.deepEqual(comparable(shown), comparable(expected));
      });
    }
  });
}

/** Projects by name and seeds, in pages that hide nothing; sets in one order; no version. */
// deno-lint-ignore no-explicit-any -- as answered
function comparable(answer: any): unknown {
  if (Array.isArray(answer)) {
    return answer.map((one) => one.name === undefined ? one : [one.id, one.name, one.seeding, one.delegates]);
  }
  if (answer.version !== undefined) return { ...answer, version: undefined };
  answer.config?.web.pinned.repositories.sort();
  return answer;
}

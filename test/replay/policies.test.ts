/** The recorded sequence of policies, replayed on the home it was recorded on, with its node stopped: the lists after each change are those that a running one made. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { createHomeApi, fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { NODE_OWNER } from "../../mod.ts";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** A line of the recording; see test/fixtures/README.md. */
interface RecordedStep {
  readonly step: number;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly body?: Record<string, unknown>;
  readonly note?: string;
  readonly after?: readonly { readonly path: string; readonly body: unknown }[];
}

const POLICIES = "/api/v1/node/policies/repos";
const BASE = "http://localhost:8080";

const recording = gunzipSync(readFileSync(new URL("../fixtures/writes-node.jsonl.gz", import.meta.url)));
const [, ...lines] = recording.toString("utf8").trim().split("\n").map((line) => JSON.parse(line));
/** A fetch needs the node that it was recorded with. */
const steps = (lines as RecordedStep[]).filter(({ path }) =>
  path?.startsWith(POLICIES) && !path.includes("from=z6")
);

describe("the recorded sequence of policies", () => {
  const folder = temporaryFolder("policies");
  let ask: (input: string, init?: RequestInit) => Promise<Response>;
  let token: string;

  before(async () => {
    const { home, api, profile } = await createHomeApi({ home: unpackHome("desk.tar.gz", folder) });
    // Recorded on the machine of the node: its owner sees all policies.
    ask = (input, init) => api.fetch(new Request(input, init), NODE_OWNER);
    const signer = await openSigner({ home, nodeId: profile.nodeId, fileSystem })();
    token = await openAuthorized(BASE, signer, ask);
  });
  after(() => removeFolder(folder));

  for (const { step, method, path, headers = {}, status, body, note = "", after = [] } of steps) {
    // The recorded service could not change a policy without its node.
    const expected = status === 500 ? 200 : status;
    it(`step ${step}: ${method} ${path} answers ${expected} ${note}`.trim(), async () => {
      const filled = Object.entries(headers).map((
        [name, value],
      ) => [name, value.replace("{{TOKEN}}", token)]);
      const answer = await ask(BASE + path, { method, headers: Object.fromEntries(filled) });
      assert.equal(answer.status, expected);
      if (status === 200) assert.deepEqual(await answer.json(), body);
      for (const { path, body } of after) assert.deepEqual(await (await ask(BASE + path)).json(), body);
    });
  }
});

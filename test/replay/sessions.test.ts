/** The recorded sequence of sessions, replayed in this process: its clock is ours, so what waits a minute there takes no time here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { createSessionApi } from "../session/session_api.ts";
import { readDeviations } from "./deviations.ts";

/** A line of the recording; see test/fixtures/README.md. */
interface RecordedStep {
  readonly step: number;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly requestBody?: unknown;
  readonly bodyRaw?: string;
  readonly status: number;
  readonly body?: Record<string, unknown>;
  readonly savesSession?: string;
  readonly lifetime?: number;
  readonly note?: string;
}
interface RecordedWait {
  readonly control: "wait";
  readonly seconds: number;
}

const recording = gunzipSync(readFileSync(new URL("../fixtures/writes-sessions.jsonl.gz", import.meta.url)));
const [head, ...recorded] = recording.toString("utf8").trim().split("\n").map((line) => JSON.parse(line));
/** What is sent and expected instead of what was recorded, by line; the first line is the head. */
const deviations = new Map(
  readDeviations().filter(({ recording, send }) => recording === "writes-sessions" && send !== undefined)
    .map(({ line, send, status, body }) => [line, { ...send, status, body }]),
);
const lines = recorded.map((line, i) => ({ ...line, ...deviations.get(i + 2) }));

/** The texts of 4.8; others are the service's own. */
const SPECIFIED =
  /^(Invalid public key|Session expired|Session already authorized|Not authorized to delete this session)$/;

const api = await createSessionApi({ alias: "hana", keyByte: 7 });
const START_MS = api.clock.nowMs;
const ids = new Map<string, string>();
const issuedAt = new Map<string, number>();

/** A recorded value with its placeholders filled in. */
async function fill<T>(value: T): Promise<T> {
  let text = JSON.stringify(value);
  for (const [name, id] of ids) {
    text = text.replaceAll(`{{${name}}}`, id).replaceAll(
      `{{SIG:${name}}}`,
      await api.sign(`${id}:${api.nodeId}`),
    );
  }
  return JSON.parse(text);
}

async function replay(recorded: RecordedStep): Promise<void> {
  const { method, path, headers = {}, requestBody, bodyRaw } = await fill(recorded);
  const nowSeconds = Math.floor(api.clock.nowMs / 1000);
  const answer = await api.ask(method, path.replace("/api/v1", ""), bodyRaw ?? requestBody, headers);
  assert.equal(answer.status, recorded.status);
  if (recorded.savesSession !== undefined) {
    ids.set(recorded.savesSession, answer.body.sessionId);
    issuedAt.set(answer.body.sessionId, nowSeconds);
  }
  const expected = (await fill(recorded)).body;
  if (recorded.status >= 400) {
    assert.equal(answer.body.code, recorded.status);
    assert.equal(typeof answer.body.error, "string");
    if (SPECIFIED.test(String(expected?.["error"]))) assert.equal(answer.body.error, expected?.["error"]);
  } else if (recorded.lifetime === undefined) {
    assert.deepEqual(answer.body, expected);
  } else {
    // Recorded as {{NOW}} and {{NOW+lifetime}}.
    const startSeconds = issuedAt.get(answer.body.sessionId)!;
    const times = { issuedAt: startSeconds, expiresAt: startSeconds + recorded.lifetime };
    assert.deepEqual(Object.entries(answer.body), Object.entries({ ...expected, ...times }));
  }
}

describe("the recorded sequence of sessions", () => {
  it("belongs to the node with the available key", () => assert.equal(api.nodeId, head.nodeId));

  let waitedMs = 0;
  for (const line of lines as (RecordedStep | RecordedWait)[]) {
    if ("control" in line) {
      waitedMs += line.seconds * 1000;
    } else if (line.path.startsWith("/api/v1/sessions")) {
      const { step, method, path, status, note = "" } = line;
      const untilMs = START_MS + waitedMs;
      it(`step ${step}: ${method} ${path} answers ${status} ${note}`.trim(), () => {
        api.clock.nowMs = untilMs;
        return replay(line);
      });
    }
  }
});

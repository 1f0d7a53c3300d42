/** The file of deviations: what it says of recordings is true. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REPLAY_CASES } from "./cases.ts";
import { byPlace, type Deviation, DeviationBook, keyOf, readDeviations, readReasons } from "./deviations.ts";
import { applyChanges, type Comparable, findChanges, ofRecorded } from "./expected.ts";
import { readLines, type Recorded } from "./recordings.ts";

const deviations = readDeviations();
const recordings = new Map(
  [...new Set(REPLAY_CASES.flatMap((one) => one.recordings))].map((name) => [name, readLines(name)]),
);

/** The recorded request that a deviation names. */
function recordedOf({ recording, line, after, request }: Deviation): Recorded {
  const recorded = recordings.get(recording)?.[line - 1] as Recorded | undefined;
  const following = after === undefined ? recorded : { method: "GET", ...recorded?.after?.[after] };
  assert.equal(
    `${following?.method} ${"path" in (following ?? {}) ? (following as Recorded).path : ""}`,
    request,
  );
  return following as Recorded;
}

/** The recorded and the expected status that a reason speaks of. */
const STATUSES: Readonly<Record<string, readonly [from: readonly number[], to: readonly number[]]>> = {
  "archive-names": [[200, 500], [404]],
  "archives-by-id": [[500], [200]],
  "damaged-repository": [[200, 500], [200, 404]],
  "damaged-refs": [[200, 500], [200]],
  missing: [[500], [404]],
  "no-databases": [[500], [200]],
  "no-project": [[500], [404]],
  "not-utf-8": [[0, 200, 404, 500], [200]],
  "odd-names": [[500], [200]],
  "refused-change": [[500], [401, 403, 409, 422]],
  submodules: [[500], [200]],
  "unreadable-id": [[500], [400]],
  "whole-list": [[500], [200]],
};
/** The requests that a reason speaks of. */
const PATHS: Readonly<Record<string, RegExp>> = {
  "archive-names": /^GET \/raw\/.*(\/archive\/|\/[0-9a-f]{40}\.(tar|tar\.gz|zip)(\?|$))/,
  "archives-by-id": /\/archive\/[0-9a-f]{40}(\.|$)/,
  "odd-names": /^GET .*\/(tree|blob|raw|readme|rad:\w+)\//,
  "refused-change": /^(POST|PATCH|PUT|DELETE) /,
  submodules: /^GET .*\/tree\//,
  "unreadable-id": /\?(.*&)?parent=/,
  "whole-list": /\/(projects|stats)(\?|$)/,
};

function answer(json: unknown, status = 200, headers: Record<string, string> = {}): Comparable {
  return { status, headers, content: { json } };
}

describe("deviations.jsonl", () => {
  it("names recorded requests and answers that differ from theirs", () => {
    for (const deviation of deviations) {
      const recorded = ofRecorded(recordedOf(deviation));
      const changes = findChanges(recorded, applyChanges(recorded, deviation));
      const { recording: _1, line: _2, after: _3, request: _4, reason: _5, send, ...written } = deviation;
      assert.deepEqual(changes ?? {}, written, keyOf(deviation));
      assert.ok(changes !== undefined || send !== undefined, keyOf(deviation));
    }
  });

  it("gives reasons that the README explains, and every reason of the README", () => {
    assert.deepEqual(new Set(deviations.map(({ reason }) => reason)), readReasons());
  });

  it("gives reasons that fit the request and both answers", () => {
    for (const deviation of deviations) {
      const { reason, request } = deviation;
      const { status } = ofRecorded(recordedOf(deviation));
      const [from, to] = STATUSES[reason] ?? [[status], [deviation.status ?? status]];
      assert.ok(from.includes(status), `${keyOf(deviation)}: ${reason}, recorded ${status}`);
      assert.ok(to.includes(deviation.status ?? status), `${keyOf(deviation)}: ${reason}`);
      assert.match(request, PATHS[reason] ?? /^/, keyOf(deviation));
    }
  });

  it("has one line for a request, in the order of the recordings", () => {
    assert.deepEqual(deviations, deviations.toSorted(byPlace));
    assert.equal(new Set(deviations.map(keyOf)).size, deviations.length);
  });
});

describe("a comparison", () => {
  const same = (one: Comparable) => one;
  const place = { recording: "browse-general", line: 1, request: "GET /api" };
  const recorded = answer({ a: 1, list: [1, 2], updated: [2, 1] }, 200, { allow: "get" });
  const other = answer({ a: 2, list: [1, 2], updated: [1, 2], b: null }, 200, { allow: "get" });

  it("sees changed, added and missing members, and lists of another length or order", () => {
    const changed = answer({ b: 1, list: [1], updated: [1] }, 200, { allow: "get" });
    const members = { "/b": 1, "/list": [1], "/updated": [1] };
    assert.deepEqual(findChanges(recorded, changed), { members, absent: ["/a"] });
    const swapped = answer({ a: 1, list: [2, 1], updated: [1, 2] }, 200, { allow: "get" });
    assert.deepEqual(findChanges(recorded, swapped), { members: { "/list/0": 2, "/list/1": 1 } });
  });

  it("sees another status and other header fields", () => {
    assert.deepEqual(findChanges(recorded, { ...recorded, headers: {} }), { headers: { allow: null } });
    assert.deepEqual(findChanges(recorded, answer({ a: 1 }, 404)), {
      status: 404,
      headers: { allow: null },
      body: { a: 1 },
    });
  });

  it("passes for the expected answer alone, not for the recorded one", () => {
    const book = new DeviationBook([{ ...place, reason: "stats", ...findChanges(recorded, other) }]);
    assert.deepEqual(book.judge(place, recorded, other, same), []);
    assert.equal(book.judge(place, recorded, recorded, same).length, 2);
  });

  it("is not written down without a reason", () => {
    const book = new DeviationBook([]);
    book.judge(place, recorded, other, same);
    assert.throws(() => book.write(undefined), /without a reason.*browse-general:1/);
  });
});

/** The log, its readers, and when the service looks for changes: by a clock that a test moves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LINGER_MS, LiveChanges, type LiveChangesOptions } from "../../../extensions/events/live_changes.ts";
import { MAX_READERS_OF_PEER } from "../../../extensions/events/places.ts";
import {
  EventLog,
  EventLogs,
  type Interest,
  MAX_EVENT_LENGTH,
  MAX_EVENTS,
  MAX_LOG_BYTES,
} from "../../../extensions/events/log.ts";
import {
  MAX_MOVED,
  MAX_REFERENCES_OF_ALL,
  MAX_REFERENCES_OF_ONE,
  movedObjects,
  movedReferences,
  RepositoryStates,
} from "../../../extensions/events/moved_references.ts";
import { Reader } from "../../../extensions/events/reader.ts";
import { MAX_OBJECTS } from "../../../extensions/events/watcher.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { parseRid } from "../../../src/ids/rid.ts";
import { runSync } from "../../../src/scheduling/task.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import { FakeTimers } from "../../support/fake_timers.ts";
import { createWorld } from "../../support/world.ts";
import { liveParts } from "./live_parts.ts";

/** A change is seen, and a comment comes, within these times, in milliseconds (docs/api.md). */
const [SEEN_MS, COMMENT_MS] = [1000, 15_000];
const RUN = "0123456789abcdef";
const RID = parseRid("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
const OTHER = parseRid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
const OID = "1".repeat(40) as Oid;
const STRANGERS = { isOwner: false };
const decoder = new TextDecoder();

const textAfter = (log: EventLog, place: number, interest: Interest = {}) => {
  let text = "";
  for (let at = place; at < log.end;) {
    const { bytes, next } = log.read(at, interest)!;
    if (bytes !== undefined) text += decoder.decode(bytes);
    at = next;
  }
  return text;
};
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
const numbersIn = (log: EventLog, interest: Interest) =>
  idsIn(textAfter(log, 1, interest)).map((id) => Number(id!.split("-")[1]));
const refs = (names: readonly string[], oid = OID) => names.toSorted().map((name) => ({ name, oid }));

describe("the log of changes", () => {
  it("has the last events, by number and by bytes", () => {
    const log = new EventLog(RUN);
    for (let i = 0; i <= MAX_EVENTS; i++) log.append({ type: "node", state: "running" });
    assert.equal(log.placeAfter(`${RUN}-0`), undefined);
    assert.equal(log.placeAfter(`${RUN}-1`), 2);
    assert.equal(log.read(1, {}), undefined);
    assert.equal(idsIn(textAfter(log, 2)).length, MAX_EVENTS);
    // Three bytes of UTF-8 each.
    const name = "の".repeat(MAX_EVENT_LENGTH / 2);
    const long = { type: "references", rid: RID, references: [{ name, from: null, to: OID }] } as const;
    for (let bytes = 0; bytes <= MAX_LOG_BYTES; bytes += 3 * name.length) log.append(long);
    const [, last] = log.lastId.split("-").map(Number);
    const blockBytes = new TextEncoder().encode(textAfter(log, last!)).length;
    const first = last! - Math.floor(MAX_LOG_BYTES / blockBytes);
    assert.equal(log.placeAfter(`${RUN}-${first - 1}`), undefined);
    assert.equal(log.placeAfter(`${RUN}-${first}`), first + 1);
  });

  it("has a reset instead of an event that is too long", () => {
    const log = new EventLog(RUN);
    const of = (length: number) => [{ name: "x".repeat(length), from: null, to: null }];
    const spare = JSON.stringify({ type: "references", rid: RID, references: of(0) }).length;
    log.append({ type: "references", rid: RID, references: of(MAX_EVENT_LENGTH - spare) });
    log.append({ type: "references", rid: RID, references: of(MAX_EVENT_LENGTH - spare + 1) });
    assert.match(textAfter(log, 1), /^id: \S+\nevent: references\n/);
    const block = `id: ${RUN}-2\nevent: reset\ndata: {"type":"reset","rid":"${RID}"}\n\n`;
    assert.equal(textAfter(log, 2), block);
  });

  it("sends each reader the requested events", () => {
    const log = new EventLog(RUN);
    log.append({ type: "repository", rid: RID, change: "removed" });
    log.append({ type: "policy", rid: OTHER, policy: null, scope: null });
    log.append({ type: "node", state: "running" });
    log.append({ type: "reset", rid: OTHER });
    log.append({ type: "reset" });
    assert.deepEqual(numbersIn(log, {}), [1, 2, 3, 4, 5]);
    assert.deepEqual(numbersIn(log, { rid: RID }), [1, 5]);
    assert.deepEqual(numbersIn(log, { types: ["node"] }), [3, 4, 5]);
    assert.deepEqual(numbersIn(log, { rid: OTHER, types: ["node"] }), [4, 5]);
  });

  it("hides what has happened in a repository, and has room for others", () => {
    const log = new EventLog(RUN);
    log.append({ type: "repository", rid: RID, change: "added" });
    log.append({ type: "repository", rid: OTHER, change: "added" });
    log.hide(RID);
    log.append({ type: "repository", rid: RID, change: "removed" });
    assert.deepEqual(numbersIn(log, {}), [2, 3]);
    assert.equal(log.placeAfter(`${RUN}-0`), 1);
  });
});

describe("the logs of both audiences", () => {
  it("have numbers, names and room of their own", () => {
    const names = [RUN, "f".repeat(16)];
    const logs = new EventLogs(() => names.shift()!);
    const shown = { type: "repository", rid: RID, change: "added" } as const;
    logs.append(shown, "all");
    const before = textAfter(logs.strangers, 1);
    for (let i = 0; i <= MAX_EVENTS; i++) {
      logs.append({ type: "repository", rid: OTHER, change: "private" }, "owner");
    }
    assert.equal(textAfter(logs.strangers, 1), before);
    assert.equal(logs.strangers.lastId, `${"f".repeat(16)}-1`);
    assert.equal(logs.owner.lastId, `${RUN}-${MAX_EVENTS + 2}`);
    logs.append({ type: "repository", rid: OTHER, change: "removed" }, "strangers");
    assert.equal(logs.strangers.lastId, `${"f".repeat(16)}-2`);
    for (const id of [logs.owner.lastId, `${RUN}-0`, `${RUN}-1`]) {
      assert.equal(logs.strangers.placeAfter(id), undefined, id);
    }
  });
});

describe("moved references", () => {
  it("differ, are not hidden, and end at a limit", () => {
    const names = Array.from({ length: MAX_MOVED }, (_, i) => `refs/heads/${String(i).padStart(5, "0")}`);
    const all = runSync(
      movedReferences([], refs([...names, "refs/tmp/x", "refs/namespaces/z/refs/drafts/y"])),
    )!;
    assert.equal(all.length, MAX_MOVED);
    assert.equal(runSync(movedReferences([], refs([...names, "refs/heads/x"]))), undefined);
    assert.deepEqual(runSync(movedReferences(refs(names), refs(names))), []);
  });

  it("lead to objects, which are new unless some node had them", () => {
    const at = (node: string, id: string) => `refs/namespaces/${node}/refs/cobs/xyz.radicle.issue/${id}`;
    const [first, second] = ["a".repeat(40), "b".repeat(40)];
    const before = refs([at("x", first)]);
    const moved = runSync(movedReferences(before, refs([at("x", first), at("y", first), at("y", second)])))!;
    assert.deepEqual(runSync(movedObjects(moved, before)), [
      { type: "issue", id: first, isNew: false },
      { type: "issue", id: second, isNew: true },
    ]);
  });

  it("are remembered within limits", () => {
    const states = new RepositoryStates();
    const state = { version: 1, isPublic: true, digest: "" };
    const many = (count: number) =>
      Array<{ name: string; oid: Oid }>(count).fill({ name: "refs/heads/x", oid: OID });
    states.set(RID, { ...state, refs: many(MAX_REFERENCES_OF_ONE + 1) });
    assert.equal(states.get(RID)!.refs, undefined);
    const rids = Array.from({ length: 6 }, (_, i) => `rad:z${i}` as typeof RID);
    for (const rid of rids) states.set(rid, { ...state, refs: many(MAX_REFERENCES_OF_ONE) });
    assert.equal(MAX_REFERENCES_OF_ALL / MAX_REFERENCES_OF_ONE, 5);
    assert.deepEqual(rids.map((rid) => states.get(rid)!.refs !== undefined), [
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    states.delete(rids[0]!);
    states.set(rids[5]!, { ...state, refs: many(1) });
    assert.equal(states.get(rids[5]!)!.refs!.length, 1);
  });
});

describe("a reader", () => {
  it("that takes nothing is let go at the third comment that it leaves", async () => {
    let hasLeft = false;
    const reader = new Reader(new EventLog(RUN), {}, () => hasLeft = true);
    const { stream } = reader.open();
    for (let i = 0; i < 3; i++) {
      assert.ok(!hasLeft);
      reader.comment();
    }
    assert.ok(hasLeft);
    await assert.rejects(stream.getReader().read());
  });

  it("that is slower than the log ends, and nothing is held for it", async () => {
    const log = new EventLog(RUN);
    let hasLeft = false;
    const reader = new Reader(log, {}, () => hasLeft = true);
    reader.begin(undefined);
    const stream = reader.open().stream.getReader();
    await stream.read();
    for (let i = 0; i <= MAX_EVENTS; i++) log.append({ type: "node", state: "running" });
    assert.equal((await stream.read()).done, true);
    assert.ok(hasLeft);
  });
});

function watch(options: Partial<Pick<LiveChangesOptions, "maxReaders" | "node" | "report">> = {}) {
  const world = createWorld();
  const timers = new FakeTimers();
  const looked: string[] = [];
  const storage = {
    ...world.storage,
    repository: (rid: typeof RID) => {
      looked.push(rid);
      return world.storage.repository(rid);
    },
  };
  const changes = new LiveChanges({
    storage,
    ...liveParts(timers),
    ...options,
  });
  return { world, timers, looked, changes };
}

/** The texts of a stream as they come. */
function heard({ stream }: { readonly stream: ReadableStream<Uint8Array> }): string[] {
  const texts: string[] = [];
  void (async () => {
    for await (const bytes of stream) texts.push(decoder.decode(bytes));
  })();
  return texts;
}

describe("live changes", () => {
  it("are checked while there are readers and for a while after, and comments are sent", async () => {
    const { timers, looked, changes } = watch();
    await timers.advance(10 * SEEN_MS);
    assert.deepEqual(looked, []);
    const stream = await changes.open(STRANGERS);
    const texts = heard(stream);
    await timers.advance(COMMENT_MS);
    assert.ok(looked.length > 2 * COMMENT_MS / SEEN_MS);
    assert.deepEqual(texts.slice(1), [":\n\n"]);
    stream.end();
    await timers.advance(2 * LINGER_MS);
    const count = looked.length;
    await timers.advance(2 * LINGER_MS);
    assert.equal(looked.length, count);
    assert.equal(timers.running, 0);
    await changes.close();
  });

  it("report later what happened without readers", async () => {
    const { timers, changes, world } = watch();
    const first = await changes.open(STRANGERS);
    const [, lastId] = /^id: (.*)$/m.exec(decoder.decode((await first.stream.getReader().read()).value))!;
    first.end();
    await timers.advance(3 * LINGER_MS);
    world.hello.setRef("refs/heads/meanwhile", world.commits[0]);
    const texts = heard(await changes.open({ ...STRANGERS, lastId: lastId! }));
    await timers.advance(SEEN_MS);
    assert.match(texts.join(""), /refs\/heads\/meanwhile/);
    await changes.close();
  });

  it("are found by checks if the events of the node fail", async () => {
    const logged: string[] = [];
    const fail = (() => {
      throw new Error("cannot");
    }) as () => Promise<void>;
    for (const watchChanges of [fail, () => Promise.reject(new Error("cannot"))]) {
      const { timers, changes, world } = watch({
        node: { ...createAbsentNode(), watchChanges },
        report: (_level, message) => logged.push(message),
      });
      const texts = heard(await changes.open(STRANGERS));
      await timers.advance(SEEN_MS);
      world.hello.setRef("refs/heads/meanwhile", world.commits[0]);
      await timers.advance(SEEN_MS);
      assert.match(texts.join(""), /refs\/heads\/meanwhile/);
      await changes.close();
    }
    assert.deepEqual(logged, [
      "Cannot follow the changes of the node",
      "Cannot follow the changes of the node",
    ]);
  });

  it("have a limit of readers, in total and for one peer", async () => {
    const { changes, timers } = watch({ maxReaders: MAX_READERS_OF_PEER + 2 });
    const opened = [];
    for (let i = 0; i < MAX_READERS_OF_PEER; i++) {
      opened.push(await changes.open({ ...STRANGERS, peer: "192.0.2.1" }));
    }
    const refusal = { name: "UnavailableError" };
    await assert.rejects(changes.open({ ...STRANGERS, peer: "192.0.2.1" }), refusal);
    for (let i = 0; i < 2; i++) opened.push(await changes.open({ ...STRANGERS, peer: `192.0.2.${2 + i}` }));
    await assert.rejects(changes.open(STRANGERS), refusal);
    opened[0]!.end();
    await changes.open({ ...STRANGERS, peer: "192.0.2.1" });
    await changes.close();
    await timers.advance(0);
    assert.equal(changes.readers, 0);
  });

  it("are a reset of the repository when more has changed than is reported one by one", async () => {
    const { timers, changes, world: { hello, helloRid, commits } } = watch();
    const texts = heard(await changes.open(STRANGERS));
    await timers.advance(SEEN_MS);
    for (let i = 0; i <= MAX_OBJECTS; i++) {
      const id = String(i).padStart(40, "0");
      hello.setRef(`refs/namespaces/x/refs/cobs/xyz.radicle.issue/${id}`, commits[0]);
    }
    await timers.advance(SEEN_MS);
    assert.deepEqual(texts.slice(1).join("").match(/^data: .*$/gm), [
      `data: {"type":"reset","rid":"${helloRid}"}`,
    ]);
    await changes.close();
  });
});

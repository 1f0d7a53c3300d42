import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DatabaseError, type NodeDatabase, type Statement } from "../../src/ports/node_database.ts";
import { type NodeObstacle, NodeSocketError } from "../../src/ports/node_socket.ts";
import { createHomeNode } from "../../src/seeding/home_node.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { ALICE, BOB, createWorld } from "../support/world.ts";

const RID = createWorld().helloRid;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** A node whose answers are a test's, by command, with databases that remember what was written to them. */
function setUp(answers: Record<string, unknown> | NodeObstacle, rows: readonly object[] = []) {
  const state = {
    answers,
    asked: [] as Record<string, unknown>[],
    written: [] as string[],
    log: [] as string[],
    isBroken: false,
  };
  const timers = new FakeTimers();
  const openDatabase = (path: string): NodeDatabase => ({
    read: () => Promise.resolve(path === "/h/node/policies.db" ? rows as Record<string, unknown>[] : []),
    write(statements: readonly Statement[]) {
      if (state.isBroken) return Promise.reject(new DatabaseError("broken", "the disk is full"));
      state.written.push(...statements.map(({ sql, values = [] }) => `${path}: ${sql} ${values.join(" ")}`));
      return Promise.resolve();
    },
  });
  const node = createHomeNode({
    home: "/h",
    fileSystem: { stat: () => undefined },
    log: (level, message, cause) => void state.log.push(`${level} ${message}: ${(cause as Error).message}`),
    openDatabase,
    ask(line) {
      const question = JSON.parse(line);
      state.asked.push(question);
      const answer = typeof state.answers === "string"
        ? state.answers
        : state.answers[question.command] ?? {};
      if (typeof answer !== "string") return Promise.resolve(JSON.stringify(answer));
      return Promise.reject(new NodeSocketError(answer as NodeObstacle, answer));
    },
    later: () => () => {},
    now: timers.now,
    startTimer: timers.startTimer,
  });
  return { node, state, timers };
}

describe("the status of a node", () => {
  it("comes with its configuration as it is in its memory", async () => {
    const config = { alias: "alice", unknown: [1], limits: { rate: 1 } };
    assert.deepEqual(await setUp({ config }).node.status(), { state: "running", config });
  });

  it("is running for one that refuses to answer, without a configuration", async () => {
    const { node } = setUp({ status: { error: "missing field `kind`" }, config: { error: "likewise" } });
    assert.deepEqual(await node.status(), { state: "running", config: undefined });
  });

  it("is asked for once when several want to know", async () => {
    const { node, state } = setUp({ config: { alias: "alice" } });
    const answers = await Promise.all([node.status(), node.status(), node.status()]);
    assert.deepEqual(answers.map(({ state }) => state), ["running", "running", "running"]);
    assert.deepEqual(state.asked.map(({ command }) => command), ["status", "config"]);
    await node.status();
    assert.equal(state.asked.length, 4);
  });

  it("is stopped when no node listens, without a line in the log", async () => {
    const { node, state } = setUp("absent");
    assert.deepEqual(await node.status(), { state: "stopped" });
    assert.deepEqual(state.log, []);
  });

  for (const obstacle of ["denied", "silent", "broken"] as const) {
    it(`is stopped when the socket is ${obstacle}, with one line in the log until that changes`, async () => {
      const { node, state, timers } = setUp(obstacle);
      for (let i = 0; i < 3; i++) assert.deepEqual(await node.status(), { state: "stopped" });
      assert.deepEqual(state.log, [`warn Cannot reach the node: ${obstacle}`]);
      state.answers = {};
      await timers.advance(SECOND_MS);
      await node.status();
      state.answers = obstacle;
      await node.status();
      assert.equal(state.log.length, 2);
    });
  }
});

describe("the status of a silent node", () => {
  it("is asked for in the background, and given to clients at once", async () => {
    const { node, state, timers } = setUp("silent");
    await node.status();
    for (let i = 0; i < 10; i++) assert.deepEqual(await node.status(), { state: "stopped" });
    assert.equal(state.asked.length, 1);
    await timers.advance(SECOND_MS);
    assert.ok(state.asked.length > 1);
    state.answers = { config: { alias: "alice" } };
    await timers.advance(SECOND_MS);
    assert.deepEqual(await node.status(), { state: "running", config: { alias: "alice" } });
    assert.equal(timers.running, 0);
  });

  it("is remembered when the configuration alone is missing", async () => {
    const { node, state, timers } = setUp({ config: "silent" });
    for (let i = 0; i < 5; i++) {
      assert.deepEqual(await node.status(), { state: "running", config: undefined });
    }
    assert.deepEqual(state.asked.map(({ command }) => command), ["status", "config"]);
    state.answers = { config: { alias: "alice" } };
    await timers.advance(SECOND_MS);
    assert.deepEqual(await node.status(), { state: "running", config: { alias: "alice" } });
  });

  it("is asked for no more when no client wants it, and again when one does", async () => {
    const { node, state, timers } = setUp("silent");
    await node.status();
    await timers.advance(MINUTE_MS);
    assert.equal(timers.running, 0);
    const { length } = state.asked;
    await timers.advance(MINUTE_MS);
    assert.equal(state.asked.length, length);
    state.answers = {};
    assert.equal((await node.status()).state, "running");
  });

  it("is asked for no more when the home closes", async () => {
    const { node, state, timers } = setUp("silent");
    await node.status();
    await node.close();
    assert.equal(timers.running, 0);
    assert.deepEqual(await node.status(), { state: "stopped" });
    assert.equal(timers.running, 0);
    assert.equal(state.asked.length, 2);
  });
});

describe("a policy", () => {
  it("is changed by a running node alone", async () => {
    const { node, state } = setUp({ seed: { updated: true }, unseed: {} });
    await node.seed(RID, "followed");
    await node.unseed(RID);
    assert.deepEqual(state.asked.map(({ command, scope }) => [command, scope]), [["seed", "followed"], [
      "unseed",
      undefined,
    ]]);
    assert.deepEqual(state.written, []);
  });

  it("is written to policies.db when the node is stopped", async () => {
    const { node, state } = setUp("absent");
    await node.seed(RID, "all");
    await node.unseed(RID);
    const changes = state.written.filter((line) => !line.includes("create table"));
    assert.equal(changes.length, 2);
    assert.match(changes[0]!, new RegExp(`^/h/node/policies.db: insert into seeding .* ${RID} all$`, "s"));
    assert.match(changes[1]!, new RegExp(`^/h/node/policies.db: delete from seeding .* ${RID}$`, "s"));
  });

  for (const obstacle of ["denied", "silent", "broken"] as const) {
    it(`stays when the socket is ${obstacle}: the node may run`, async () => {
      const { node, state } = setUp(obstacle);
      await assert.rejects(node.seed(RID, "all"), { name: "UnavailableError" });
      await assert.rejects(node.unseed(RID), { name: "UnavailableError" });
      assert.deepEqual(state.written, []);
    });
  }

  it("stays when the node refuses, whose words go to the log alone", async () => {
    const { node, state } = setUp({ seed: { error: "/secret/path is locked" } });
    await assert.rejects(node.seed(RID, "all"), {
      name: "UnavailableError",
      message: "The node refused to change the policy",
    });
    assert.match(state.log.join(), /secret/);
  });

  it("stays when it cannot be written", async () => {
    const { node, state } = setUp("absent");
    state.isBroken = true;
    await assert.rejects(node.seed(RID, "all"), { name: "UnavailableError" });
    assert.deepEqual(state.log, ["warn Cannot write a policy: the disk is full"]);
  });
});

describe("a fetch", () => {
  it("has the result that the node reports", async () => {
    const result = { status: "failed", reason: "session does not exist; cannot initiate fetch" };
    assert.deepEqual(await setUp({ fetch: result }).node.fetch(RID, BOB), result);
  });

  const reasons = {
    absent: "node is not running",
    denied: "node cannot be reached",
    silent: "node did not answer in time",
    broken: "node did not answer properly",
  } as const;
  for (const [obstacle, reason] of Object.entries(reasons)) {
    it(`has failed when the socket is ${obstacle}`, async () => {
      const { node } = setUp(obstacle as NodeObstacle);
      assert.deepEqual(await node.fetch(RID, BOB), { status: "failed", reason });
    });
  }

  it("is not begun for a blocked repository, which nodes of 2024 never get over", async () => {
    const { node, state } = setUp({}, [{ id: RID, scope: "all", policy: "block" }]);
    assert.deepEqual(await node.fetch(RID, BOB), {
      status: "failed",
      reason: `cannot fetch ${RID} as it is not seeded`,
    });
    assert.deepEqual(state.asked, []);
  });
});

describe("an announcement", () => {
  it("goes to the node without making the client wait", async () => {
    const { node, state } = setUp({ announceRefs: { remote: ALICE, at: "0".repeat(40) } });
    node.announce(RID);
    node.announce(RID);
    assert.equal(state.asked.length, 1);
    await node.close();
    assert.deepEqual(state.asked.map(({ command, rid }) => [command, rid]), [["announceRefs", RID], [
      "announceRefs",
      RID,
    ]]);
  });

  it("that the node does not want is a line in the log", async () => {
    const { node, state } = setUp({ announceRefs: { error: "runtime error" } });
    node.announce(RID);
    await node.close();
    assert.deepEqual(state.log, [
      'warn Cannot reach the node: The node refuses "announceRefs": runtime error',
    ]);
  });

  it("is dropped when the node is stopped: it announces when it starts", async () => {
    const { node, state } = setUp("absent");
    node.announce(RID);
    await node.close();
    assert.deepEqual(state.log, []);
  });
});

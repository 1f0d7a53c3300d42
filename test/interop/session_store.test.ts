/** Sessions in a real store with the protocol of Redis: the table, services of all runtimes that share it, and its absence. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@redis/client";
import { openSessionStore } from "../../adapters/node/session_store.ts";
import { UnavailableError } from "../../src/errors.ts";
import { MAX_UNAUTHORIZED_SESSIONS } from "../../src/session/memory_table.ts";
import { type OpenSessionTable, storedKey } from "../../src/session/stored_session.ts";
import { makeHome } from "../adapters/cli/command.ts";
import { testSharedTable } from "../session/shared_table_suite.ts";
import { signInWith } from "../session/sign_in_over_http.ts";
import { unauthorized } from "../session/table_suite.ts";
import { removeFolder, RUNTIMES, type Service, startService, temporaryFolder } from "../support/programs.ts";
import { freePort, redisServer } from "./redis_server.ts";
import { PATIENCE_MS, until } from "../support/patience.ts";

/** Time within which a service tells that its store is away, in milliseconds, and a margin for a busy machine. */
const AWAY_MS = 30_000;

const folder = temporaryFolder("session-store");
const redis = redisServer(folder);
const url = `unix:${redis.socket}`;
const opened: OpenSessionTable[] = [];
before(() => redis.start());
after(async () => {
  for (const table of opened) table.close();
  await redis.kill();
  removeFolder(folder);
});

async function open(
  now: () => number,
  scope: string,
  log: string[] = [],
  at = url,
): Promise<OpenSessionTable> {
  const options = { scope, now, log: (_level: string, message: string) => void log.push(message) };
  const table = await openSessionStore(at, options);
  opened.push(table);
  return table;
}

/** Runs a command of the store. */
async function command(...words: string[]): Promise<unknown> {
  const client = createClient({ socket: { path: redis.socket, tls: false }, RESP: 2 });
  await client.connect();
  try {
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

/** The key of a session in the store. */
const sessionKey = (scope: string, id: string) => `xylem:{${scope}}:session:${storedKey(scope, id)}`;

let places = 0;
testSharedTable("the table in a store", () => {
  const place = `place${places++}`;
  return Promise.resolve({
    open: (now, scope = "node") => open(now, `${place} ${scope}`),
    read: async (id) => String(await command("HGET", sessionKey(`${place} node`, id), "data")),
    overwrite: async (id, text) =>
      assert.equal(await command("HSET", sessionKey(`${place} node`, id), "data", text), 0),
    async dump() {
      const keys = (await command("KEYS", `*${place} node*`)) as string[];
      const values = [];
      for (const key of keys) {
        const type = await command("TYPE", key);
        values.push(
          await command(
            ...type === "hash"
              ? ["HGETALL", key]
              : type === "zset"
              ? ["ZRANGE", key, "0", "-1"]
              : ["GET", key],
          ),
        );
      }
      return JSON.stringify([keys, values]);
    },
  });
});

describe("the store of sessions", () => {
  it("forgets sessions by itself: every key has a time, but the counter and the sets of the signed in", async () => {
    const table = await open(() => Date.now(), "ttl");
    await table.add(unauthorized("a", Date.now()));
    const session = { ...unauthorized("b", Date.now()), expiresAtMs: Date.now() + 100_000 };
    await table.add(session);
    await table.authorize({ ...session, status: "authorized", mayChange: true });
    const keys = (await command("KEYS", "xylem:{ttl}:*")) as string[];
    const lasting = [];
    for (const key of keys) if (Number(await command("PTTL", key)) < 0) lasting.push(key);
    assert.deepEqual(lasting.sort(), ["xylem:{ttl}:changing", "xylem:{ttl}:count"]);
    assert.equal(keys.filter((key) => key.includes(":session:")).length, 2);
  });

  it(`has ${MAX_UNAUTHORIZED_SESSIONS} waiting sign-ins, and drops only expired ones for a new one`, async () => {
    const clock = { nowMs: Date.now() };
    const start = clock.nowMs;
    const table = await open(() => clock.nowMs, "full");
    for (const i of [0, 1]) await table.add(unauthorized(`id${i}`, start + i));
    // The rest at once: one by one it would take seconds.
    await command(
      "EVAL",
      "for i = 2, tonumber(ARGV[1]) - 1 do redis.call('zadd', KEYS[1], ARGV[2] + 60000 + i, 'k' .. i) end",
      "1",
      "xylem:{full}:waiting",
      String(MAX_UNAUTHORIZED_SESSIONS),
      String(start),
    );
    clock.nowMs = start + 59_999;
    assert.equal(await table.add(unauthorized("one more", clock.nowMs)), false);
    assert.ok(await table.find("id0"));
    clock.nowMs = start + 60_000;
    assert.equal(await table.add(unauthorized("one more", clock.nowMs)), true);
    assert.equal(await table.find("id0"), undefined);
    assert.ok(await table.find("id1"));
  });

  it("finds, authorizes and removes nothing under a key of another kind, and forgets it in time", async () => {
    const clock = { nowMs: Date.now() };
    const table = await open(() => clock.nowMs, "kinds");
    const key = sessionKey("kinds", "a");
    const authorized = { ...unauthorized("a", clock.nowMs), status: "authorized" } as const;
    const kinds = [
      ["SET", key, "text"],
      ["RPUSH", key, "one", "two"],
      ["SADD", key, "member"],
      ["ZADD", key, "1", "member"],
      ["HSET", key, "status", "nothing"],
      ["HSET", key, "kind", "a", "sender", "b"],
    ];
    for (const words of kinds) {
      await command("DEL", key);
      await command(...words);
      assert.equal(await table.find("a"), undefined);
      assert.equal(await table.authorize(authorized), false);
      if (words[0] !== "HSET") assert.equal(await table.remove("a"), false);
    }
    // A full table makes room by the oldest, whatever it is.
    await command("DEL", key);
    await table.add(unauthorized("a", clock.nowMs - 1));
    await command("DEL", key);
    await command("SET", key, "text");
    await command(
      "EVAL",
      "for i = 2, tonumber(ARGV[1]) do redis.call('zadd', KEYS[1], ARGV[2] + 60000, 'k' .. i) end",
      "1",
      "xylem:{kinds}:waiting",
      String(MAX_UNAUTHORIZED_SESSIONS),
      String(clock.nowMs),
    );
    clock.nowMs += 60_000;
    assert.equal(await table.add(unauthorized("b", clock.nowMs)), true);
    assert.equal(await command("EXISTS", key), 0);
  });

  it("counts nothing that would wait for ever", async () => {
    const nowMs = Date.now();
    const table = await open(() => nowMs, "for ever");
    const share = { kind: "k", maxOfKind: 2, sender: "s", maxOfSender: 2 };
    const sets = ["waiting", "kind:k", `sender:${storedKey("for ever", "s")}`];
    for (const set of sets) {
      for (const score of ["+inf", "9e15", String(nowMs + 200_000)]) {
        await command("ZADD", `xylem:{for ever}:${set}`, score, `member ${score}`);
      }
    }
    assert.equal(await table.add(unauthorized("a", nowMs), share), true);
    assert.equal(await table.add(unauthorized("b", nowMs), share), true);
    assert.equal(await table.add(unauthorized("c", nowMs), share), false);
  });

  it("that refuses the password is away, and no line shows user or password", async () => {
    const port = await freePort();
    const withPort = redisServer(temporaryFolder("session-port"), [
      "--requirepass",
      "right",
      "--port",
      String(port),
    ]);
    await withPort.start();
    try {
      const log: string[] = [];
      const wrong = await open(() => 0, "x", log, `redis://somebody:se%2Fcret@127.0.0.1:${port}`);
      await assert.rejects(Promise.resolve(wrong.find("a")), isAway);
      assert.match(log.join(), /^Cannot use the sessions in redis:\/\/127\.0\.0\.1:\d+: /);
      for (const secret of ["se/cret", "se%2Fcret", "somebody"]) {
        assert.ok(!log.join().includes(secret), log.join());
      }
      const right = await open(() => 0, "x", [], `redis://:right@127.0.0.1:${port}/1`);
      assert.equal(await right.find("a"), undefined);
    } finally {
      await withPort.kill();
    }
  });
});

function isAway(error: unknown): boolean {
  return error instanceof UnavailableError && error.retryAfterSeconds === 5;
}

describe("xylem serve --sessions with a store", () => {
  const services: Service[] = [];
  before(async () => {
    const home = makeHome(join(folder, "home"));
    for (const runtime of RUNTIMES) {
      services.push(await startService(runtime, home, [], { XYLEM_SESSIONS: url }));
    }
  });
  after(async () => {
    for (const service of services) await service.stop();
  });

  const show = async (service: Service, token: string) => {
    const response = await fetch(`${service.url}/api/v1/sessions/${token}`);
    const body = await response.json();
    return response.status === 200
      ? body.status
      : `${response.status} ${response.headers.get("retry-after") ?? ""}`.trim();
  };
  const showAll = (token: string) => Promise.all(services.map((service) => show(service, token)));
  const untilAll = async (token: string, wanted: string) => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const shown = await showAll(token);
      if (shown.every((one) => one === wanted)) return;
      assert.ok(Date.now() < deadline, shown.join());
      await pause(50);
    }
  };

  it("knows a sign-in at all processes, on all runtimes, begun here and ended there", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    assert.deepEqual(await showAll(token), ["authorized", "authorized", "authorized"]);
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${services[1]!.url}/api/v1/sessions/${token}`, {
      method: "DELETE",
      headers,
    });
    assert.equal(status, 200);
    assert.deepEqual(await showAll(token), ["404", "404", "404"]);
  });

  it("knows no session where the store has something else", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    const [key] = (await command("KEYS", "xylem:{z6Mk*}:session:*")) as string[];
    const stored = String(await command("HGET", key!, "data"));
    const change = async ({ url }: Service) => {
      const headers = { authorization: `Bearer ${token}` };
      const path = "/api/v1/node/policies/repos/rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG";
      return (await fetch(url + path, { method: "DELETE", headers })).status;
    };
    for (const text of ["null", "{}", "[".repeat(9_000), "x".repeat(2 ** 22), stored.replace("auth", "")]) {
      await command("HSET", key!, "data", text);
      assert.deepEqual(await showAll(token), ["404", "404", "404"], text.slice(0, 20));
      assert.deepEqual(await Promise.all(services.map(change)), [401, 401, 401]);
    }
    await command("HSET", key!, "data", stored);
    assert.deepEqual(await showAll(token), ["authorized", "authorized", "authorized"]);
    await command("DEL", key!);
  });

  it("answers 503 within seconds while the store is away, and works by itself when it is back", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    await redis.kill();
    const since = Date.now();
    assert.deepEqual(await showAll(token), ["503 5", "503 5", "503 5"]);
    const open = await fetch(`${services[0]!.url}/api/v1/sessions`, { method: "POST" });
    assert.deepEqual([open.status, open.headers.get("retry-after")], [503, "5"]);
    // Reads need no session.
    assert.equal((await fetch(`${services[2]!.url}/api/v1/projects`)).status, 200);
    assert.ok(Date.now() - since < AWAY_MS);
    await redis.start();
    // The new server has nothing: the token counts no more.
    await untilAll(token, "404");
    const again = await signInWith(services.map(({ url }) => url));
    assert.deepEqual(await showAll(again), ["authorized", "authorized", "authorized"]);
  });

  it("answers 503 within seconds while the store is frozen, and knows its sessions afterwards", async () => {
    const token = await signInWith(services.map(({ url }) => url));
    redis.freeze(true);
    const since = Date.now();
    assert.deepEqual(await showAll(token), ["503 5", "503 5", "503 5"]);
    const flood = Array.from({ length: 200 }, () => show(services[0]!, token));
    assert.deepEqual(new Set(await Promise.all(flood)), new Set(["503 5"]));
    assert.ok(Date.now() - since < AWAY_MS);
    redis.freeze(false);
    await untilAll(token, "authorized");
  });

  it("says that the store is away, and back, not at every request", async () => {
    for (const { output } of services) {
      for (const line of [/Cannot use the sessions in unix:/g, /can be used again/g]) {
        const lines = () => output().match(line)?.length ?? 0;
        await until(() => lines() >= 2);
        assert.ok(lines() < 10, output());
      }
    }
  });
});

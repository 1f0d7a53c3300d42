/** Sessions in a file, on whichever runtime runs this test: the table, its file, and the service over it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { openSessionFile } from "../../adapters/node/session_file.ts";
import { UnavailableError } from "../../src/errors.ts";
import { MAX_UNAUTHORIZED_SESSIONS } from "../../src/session/memory_table.ts";
import { storedKey } from "../../src/session/stored_session.ts";
import { signInWith } from "../session/sign_in_over_http.ts";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { testSharedTable } from "../session/shared_table_suite.ts";
import { unauthorized } from "../session/table_suite.ts";
import { makeHome, run, serve } from "./cli/command.ts";

let folder: string;
let files = 0;
before(() => folder = temporaryFolder("sessions"));
after(() => removeFolder(folder));

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.prepare(sql).all();
  database.close();
}

const newPath = () => join(folder, `sessions-${files++}`);
const options = (log: string[] = [], now = () => 0) => ({
  scope: "node",
  now,
  log: (_level: string, message: string) => void log.push(message),
});

testSharedTable("the table in a file", () => {
  const path = newPath();
  return Promise.resolve({
    open: (now, scope = "node") => openSessionFile(path, { ...options(), now, scope }),
    read: (id) => {
      const database = new DatabaseSync(path);
      const row = database.prepare("select data from session where key = ?").get(storedKey("node", id));
      database.close();
      return Promise.resolve(String(row?.["data"]));
    },
    overwrite: (id, text) => {
      const database = new DatabaseSync(path);
      const { changes } = database.prepare("update session set data = ? where key = ?").run(
        text,
        storedKey("node", id),
      );
      database.close();
      assert.equal(Number(changes), 1);
      return Promise.resolve();
    },
    dump: () => Promise.resolve(["", "-wal"].map((end) => readFileSync(path + end, "latin1")).join("")),
  });
});

describe("the file of sessions", () => {
  it("is readable only by its user, and so are the files next to it", async () => {
    const path = newPath();
    writeFileSync(path, "");
    chmodSync(path, 0o644);
    const table = await openSessionFile(path, options());
    await table.add(unauthorized("a"));
    for (const end of ["", "-wal", "-shm"]) assert.equal(statSync(path + end).mode & 0o777, 0o600, end);
    table.close();
  });

  it("is left alone when it has other data", async () => {
    const path = newPath();
    for (
      const make of [() => writeFileSync(path, "x".repeat(5000)), () => {
        renameSync(path, `${path}-former`);
        const other = new DatabaseSync(path);
        other.exec("create table t (x)");
        other.close();
      }]
    ) {
      make();
      chmodSync(path, 0o644);
      const before = readFileSync(path);
      await assert.rejects(openSessionFile(path, options()), /^Error: Cannot store sessions in /);
      assert.deepEqual(readFileSync(path), before);
      assert.equal(statSync(path).mode & 0o777, 0o644);
    }
  });

  const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
    "ends within its header": (path) => truncateSync(path, 60),
    "ends too early": (path) => truncateSync(path, 9000),
    "is of zeros": (path) => writeFileSync(path, new Uint8Array(9000)),
    "has a damaged page": (path) => writeFileSync(path, readFileSync(path).fill(7, 4096, 4200)),
    "does not begin as it should": (path) => writeFileSync(path, readFileSync(path).fill(7, 0, 8)),
    "is of another version": (path) => change(path, "pragma user_version = 9"),
    "has lost its id": (path) => change(path, "pragma application_id = 9"),
  };
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`is set aside and made again when it ${name}`, async () => {
      const path = newPath();
      const table = await openSessionFile(path, options());
      await table.add(unauthorized("a"));
      table.close();
      damage(path);
      const damaged = readFileSync(path);
      const log: string[] = [];
      const next = await openSessionFile(path, options(log));
      assert.equal(await next.find("a"), undefined);
      assert.equal(await next.add(unauthorized("b")), true);
      next.close();
      assert.deepEqual(log.map((line) => line.replace(path, "PATH")), [
        "The sessions in PATH are lost, because the file was damaged; it was renamed to end in .damaged",
      ]);
      assert.deepEqual(readFileSync(`${path}.damaged`), damaged);
      const last = await openSessionFile(path, options(log));
      assert.ok(await last.find("b"));
      assert.equal(log.length, 1);
      last.close();
    });
  }

  it("is set aside when it is damaged while it is in use: one answer fails", async () => {
    const path = newPath();
    const table = await openSessionFile(path, options());
    await table.add(unauthorized("a"));
    table.close();
    const used = await openSessionFile(path, options());
    await used.find("a");
    writeFileSync(path, readFileSync(path).fill(7, 100));
    const outcomes: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      outcomes.push(await Promise.resolve(used.find("b")).catch((error) => (error as Error).name));
    }
    assert.deepEqual(outcomes.slice(1), [undefined, undefined]);
    assert.equal(await used.add(unauthorized("b")), true);
    used.close();
  });

  it("signs in no client by a row with a changed letter", async () => {
    const path = newPath();
    const table = await openSessionFile(path, options());
    await table.add(unauthorized("a"));
    await table.add(unauthorized("b"));
    change(
      path,
      `update session set data = replace(data, '"expiresAtMs":6', '"expiresAtMs":7') where number = 1`,
    );
    assert.equal(await table.find("a"), undefined);
    assert.deepEqual(await table.find("b"), unauthorized("b"));
    table.close();
  });

  it("does not make the service wait when a pipe has its name", async () => {
    const path = newPath();
    execFileSync("mkfifo", [path]);
    await assert.rejects(
      openSessionFile(path, options()),
      /^Error: Cannot store sessions in .*: it is not a file$/,
    );
  });

  it("is made again, empty, when it is removed while it is in use", async () => {
    const path = newPath();
    const table = await openSessionFile(path, options());
    await table.add(unauthorized("a"));
    for (const end of ["", "-wal", "-shm"]) renameSync(path + end, `${path}-gone${end}`);
    assert.equal(await table.find("a"), undefined);
    assert.equal(await table.add(unauthorized("b")), true);
    const other = await openSessionFile(path, options());
    assert.ok(await other.find("b"));
    for (const one of [table, other]) one.close();
  });

  it("that breaks signs in no client: 503, and a line in the log", async () => {
    const path = newPath();
    const log: string[] = [];
    const table = await openSessionFile(path, options(log));
    await table.add(unauthorized("a"));
    table.close();
    const broken = await openSessionFile(path, options(log));
    for (const end of ["-wal", "-shm"]) renameSync(path + end, `${path}-gone${end}`);
    renameSync(path, `${path}-gone`);
    writeFileSync(path, "x".repeat(5000));
    for (const answer of [broken.find("a"), broken.add(unauthorized("b")), broken.remove("a")]) {
      await assert.rejects(
        Promise.resolve(answer),
        (error) => error instanceof UnavailableError && error.retryAfterSeconds === 5,
      );
    }
    assert.match(log.join("\n"), /^Cannot use the sessions in .*$/);
    broken.close();
  });

  it("finds no session in a row of another form, and forgets rows that would last for ever", async () => {
    const path = newPath();
    const log: string[] = [];
    const table = await openSessionFile(path, options(log));
    await table.add(unauthorized("a"));
    const database = new DatabaseSync(path);
    const key = storedKey("node", "a");
    const { data } = database.prepare("select data from session").get()!;
    for (const value of [new Uint8Array(100), 7, 1.5, new TextEncoder().encode(String(data))]) {
      database.prepare("update session set data = ?").run(value);
      assert.equal(await table.find("a"), undefined);
    }
    const count = () => database.prepare("select count(*) as count from session").get()!["count"];
    for (const expires of [9e15, 1e300, "soon", new Uint8Array(8)]) {
      database.prepare("delete from session").run();
      database.prepare("insert into session values (1, ?, 0, 0, ?, 'other', '', '{}')").run(key, expires);
      assert.equal(await table.find("a"), undefined);
      assert.equal(await table.add(unauthorized("a")), true);
      assert.equal(count(), 1);
      assert.deepEqual(await table.find("a"), unauthorized("a"));
    }
    assert.deepEqual(log, []);
    database.close();
    table.close();
  });

  it(`has ${MAX_UNAUTHORIZED_SESSIONS} waiting sign-ins, and drops only expired ones for a new one`, async () => {
    const path = newPath();
    const clock = { nowMs: 0 };
    const table = await openSessionFile(path, options([], () => clock.nowMs));
    // Adding them one by one would take seconds.
    const database = new DatabaseSync(path);
    database.exec("pragma synchronous = off");
    database.exec(`
      with recursive n (i) as (values (0) union all select i + 1 from n where i < ${
      MAX_UNAUTHORIZED_SESSIONS - 1
    })
      insert into session select i + 1, 'key' || i, 0, 0, 60000, '', '', '{}' from n
    `);
    clock.nowMs = 59_999;
    assert.equal(await table.add(unauthorized("one more", 59_999)), false);
    clock.nowMs = 60_000;
    assert.equal(await table.add(unauthorized("one more", 60_000)), true);
    const keys = database.prepare("select min(number) as first, count(*) as count from session").get();
    assert.deepEqual([keys!["first"], keys!["count"]], [2, MAX_UNAUTHORIZED_SESSIONS]);
    assert.ok(await table.find("one more"));
    database.close();
    table.close();
  });
});

describe("xylem serve --sessions PATH", () => {
  it("signs out no client when it is started again, and shares sessions with a second process", async () => {
    const home = makeHome(join(folder, "home"));
    const path = newPath();
    const args = ["--home", home, "--listen", "127.0.0.1:0", "--cache", "none", "--sessions", path];
    const services = [await serve(args), await serve(args)];
    const show = async (i: number, token: string) => {
      const response = await fetch(`${services[i]!.urls[0]}/api/v1/sessions/${token}`);
      return response.status === 200 ? (await response.json()).status : response.status;
    };
    const token = await signInWith(services.map(({ urls }) => urls[0]!));
    assert.deepEqual([await show(0, token), await show(1, token)], ["authorized", "authorized"]);
    for (const service of services) assert.equal((await service.end()).status, 0);
    services[0] = await serve(args);
    assert.equal(await show(0, token), "authorized");
    const { urls: [url] } = services[0]!;
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${url}/api/v1/sessions/${token}`, { method: "DELETE", headers })).status, 200);
    assert.equal(await show(0, token), 404);
    assert.equal((await services[0]!.end()).status, 0);
  });

  it("ends with a line when the file cannot be used", async () => {
    const home = makeHome(join(folder, "home"));
    const args = ["--home", home, "--listen", "127.0.0.1:0", "--sessions", join(folder, "missing", "file")];
    const { status, stderr } = await run(args);
    assert.equal(status, 1);
    assert.match(stderr, /^xylem: (Cannot store sessions in|Deno has no permission).*missing.file.*\n$/);
  });
});

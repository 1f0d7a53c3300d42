/** How `xylem serve` is operated: its health, what crawlers are told, and ids of requests. */
import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { TRIES_ALL } from "../../support/cases.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { ask, request } from "../wire.ts";
import { makeHome, run, serve, serveUnread, type Serving } from "./command.ts";

const ANY = ["--listen", "127.0.0.1:0", "--cache", "none"];

/** For what is decided by texts, numbers and fields alone: a service on one runtime is enough. */
const ONCE = { skip: !TRIES_ALL };

const folder = temporaryFolder("operation");
after(() => removeFolder(folder));

/** Serves while `use` runs. */
async function whileServing(args: readonly string[], use: (serving: Serving) => Promise<unknown>) {
  const serving = await serve([...ANY, ...args]);
  try {
    await use(serving);
  } finally {
    assert.equal((await serving.end()).status, 0);
  }
}

async function get({ urls }: Serving, path: string, init?: RequestInit) {
  const response = await fetch(urls[0] + path, init);
  return { status: response.status, body: await response.text(), headers: response.headers };
}

/** Asks for the health until it is a word. */
async function untilHealth(serving: Serving, word: string): Promise<number> {
  for (;;) {
    const { status, body } = await get(serving, "/readyz");
    if (body === `${word}\n`) return status;
  }
}

describe("the paths of the service itself", () => {
  let home: string;
  let serving: Serving;
  before(async () => {
    home = makeHome(join(folder, "home"));
    serving = await serve([...ANY, "--home", home]);
  });
  after(() => serving.end());

  it("show its health, only for reads", async () => {
    const alive = await get(serving, "/livez?x=1");
    assert.deepEqual([alive.status, alive.body], [200, "alive\n"]);
    assert.equal(alive.headers.get("cache-control"), "no-store");
    const ready = await get(serving, "/readyz");
    assert.deepEqual([ready.status, ready.body], [200, "ready\n"]);
    const head = await get(serving, "/readyz", { method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, ""]);
    const post = await get(serving, "/readyz", { method: "POST", body: "x" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET,HEAD"]);
  });

  it("have rules for crawlers, and an icon", async () => {
    const robots = await get(serving, "/robots.txt");
    assert.equal(robots.headers.get("content-type"), "text/plain; charset=utf-8");
    for (const path of ["/raw/", "/api/v1/*/diff/", "/api/v1/*/tree/"]) {
      assert.ok(robots.body.includes(`Disallow: ${path}\n`), path);
    }
    const icon = await get(serving, "/favicon.ico");
    assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"]);
    assert.match(icon.body, /^<svg /);
  });

  it("are few: all other paths belong to the API", async () => {
    for (const path of ["/livez/", "/healthz", "/metrics", "/api/v1/livez"]) {
      assert.equal((await get(serving, path)).status, 404, path);
    }
  });

  it("say that the home cannot be read, and that it can be again", async () => {
    const storage = join(home, "storage");
    renameSync(storage, `${storage}-away`);
    const { status, body } = await get(serving, "/readyz");
    renameSync(`${storage}-away`, storage);
    assert.deepEqual([status, body], [503, "home\n"]);
    assert.equal((await get(serving, "/readyz")).status, 200);
    assert.equal((await get(serving, "/livez")).status, 200);
  });

  it("give the text of the operator to crawlers", ONCE, async () => {
    const robots = join(folder, "robots.txt");
    writeFileSync(robots, "User-agent: *\nDisallow: /\n");
    await whileServing(["--home", home, "--robots", robots], async (serving) => {
      assert.equal((await get(serving, "/robots.txt")).body, "User-agent: *\nDisallow: /\n");
    });
    const { status, stderr } = await run([...ANY, "--home", home, "--robots", join(folder, "none")]);
    assert.equal(status, 1);
    assert.match(stderr, /^xylem: Cannot read .*none for \/robots\.txt\n$/);
  });

  it("say that the service is about to end, before it does", async () => {
    const serving = await serve([...ANY, "--home", home, "--drain", "2"]);
    const ended = serving.end();
    assert.equal(await untilHealth(serving, "stopping"), 503);
    assert.equal((await get(serving, "/api/v1")).status, 200);
    assert.equal((await ended).status, 0);
  });
});

/** Bytes that a pipe holds, and bytes of a path that is logged. */
const [PIPE_BYTES, LOGGED_BYTES] = [2 ** 16, 2 ** 10];

describe("a log without a reader", () => {
  it("holds up neither answers nor the end when its pipe is full", async () => {
    const home = makeHome(join(folder, "unread"));
    const serving = await serveUnread(join(folder, "pipe"), [...ANY, "--home", home, "--log", "text"]);
    const path = `/api/v1/${"x".repeat(LOGGED_BYTES)}`;
    try {
      for (let bytes = 0; bytes < 3 * PIPE_BYTES; bytes += LOGGED_BYTES) {
        const init = { signal: AbortSignal.timeout(PATIENCE_MS) };
        assert.equal((await fetch(serving.urls[0] + path, init)).status, 404);
      }
    } finally {
      assert.equal((await serving.end()).status, 0);
    }
  });
});

describe("the health of a replica", () => {
  it("depends on its bucket", async () => {
    const home = unpackHome("today/today-collab.tar.gz", folder);
    const bucket = join(folder, "bucket");
    const published = await run(["publish", bucket, "--home", home, "--cache", "none"]);
    assert.equal(published.status, 0, published.stderr);
    await whileServing(["--bucket", bucket, "--fresh", "0"], async (serving) => {
      assert.equal(await untilHealth(serving, "ready"), 200);
      renameSync(bucket, `${bucket}-away`);
      assert.equal(await untilHealth(serving, "stale"), 503);
      assert.equal((await get(serving, "/api/v1")).status, 200);
      renameSync(`${bucket}-away`, bucket);
      assert.equal(await untilHealth(serving, "ready"), 200);
    });
  });

  it("is bad while nothing is known of the bucket", async () => {
    const empty = makeHome(join(folder, "empty"));
    await whileServing(["--bucket", join(empty, "storage")], async (serving) => {
      const { status, body } = await get(serving, "/readyz");
      assert.deepEqual([status, body], [503, "bucket\n"]);
    });
  });
});

describe("ids of requests", () => {
  const FAILING = "GET /api/v1/projects";
  /** Header fields of an answer of 503: a replica without a bucket gives no other. */
  async function idOf(serving: Serving, ...fields: string[]): Promise<string | undefined> {
    const { hostname, port } = new URL(serving.urls[0]!);
    const text = await ask({ transport: "tcp", hostname, port: Number(port) }, request(FAILING, fields));
    assert.match(text, /^HTTP\/1\.1 503/);
    return /^x-request-id: (.*)\r$/im.exec(text)?.[1];
  }
  const NEW = /^[\da-f-]{36}$/;
  let bucket: string;
  before(() => {
    bucket = join(makeHome(join(folder, "unpublished")), "storage");
  });

  it("name answers of status 500 and above, and come from a proxy alone", async () => {
    await whileServing(["--bucket", bucket], async (serving) => {
      assert.match(await idOf(serving) ?? "", NEW);
      assert.match(await idOf(serving, "X-Request-Id: given") ?? "", NEW);
      assert.equal((await get(serving, "/livez")).headers.get("x-request-id"), null);
    });
  });

  it("are taken over as they are, or not at all", ONCE, async () => {
    await whileServing(["--bucket", bucket, "--behind-proxy"], async (serving) => {
      for (const id of ["given", "a.b-c_9", "x".repeat(64)]) {
        assert.equal(await idOf(serving, `X-Request-Id: ${id}`), id);
      }
      for (const id of ["", "x".repeat(65), "a b", "a,b", "a\u00e9", "a;b", "<a>"]) {
        assert.match(await idOf(serving, `X-Request-Id: ${id}`) ?? "", NEW, id);
      }
      assert.match(await idOf(serving, "X-Request-Id: a", "X-Request-Id: b") ?? "", NEW);
    });
  });
});

describe("the log", () => {
  const address = ({ urls }: Serving) => {
    const { hostname, port } = new URL(urls[0]!);
    return { transport: "tcp", hostname, port: Number(port) } as const;
  };
  let home: string;
  before(() => home = makeHome(join(folder, "logged")));

  /** Lines on standard output after requests, and standard error. */
  async function linesAfter(args: readonly string[], requests: readonly string[]) {
    const serving = await serve([...ANY, "--home", home, ...args]);
    for (const text of requests) await ask(address(serving), text);
    const { status, stdout, stderr } = await serving.end();
    assert.equal(status, 0);
    return { lines: stdout.split("Ctrl-C ends the service.\n")[1]!.split("\n").filter(Boolean), stderr };
  }

  it("has a line for each request, with nothing secret", async () => {
    const proxy = ["--behind-proxy", "--client-address-header", "X-Real-IP"];
    const { lines, stderr } = await linesAfter(["--log", "json", "--log-client", ...proxy], [
      request("GET /api/v1/projects?show=SECRET", ["X-Real-IP: 10.0.0.9, 192.0.2.7", "X-Request-Id: mine"]),
      request("GET /api/v1/sessions/SECRET", ["Authorization: Bearer SECRET"]),
      request("HEAD /none", ["X-Real-IP: 1.2.3.4", "X-Real-IP: 1.2.3.5"]),
      request("GET /readyz"),
    ]);
    // Messages have the same form.
    assert.equal(JSON.parse(stderr).level, "warn");
    assert.ok(!lines.join().includes("SECRET"), lines.join("\n"));
    const [projects, session, none, ...others] = lines.map((line) => JSON.parse(line));
    const { method, pattern, path, status, bytes, ms, id, client, level } = projects;
    assert.deepEqual([method, pattern, path, status], ["GET", "/api/v1/projects", "/api/v1/projects", 400]);
    assert.deepEqual([id, client, level], ["mine", "192.0.2.7", "info"]);
    assert.ok(bytes > 50 && bytes < 1000 && ms > 0 && ms < 60_000, `${lines[0]}`);
    assert.equal(session.path, "/api/v1/sessions/:id");
    assert.deepEqual([none.pattern, none.path, none.status, none.client], ["-", "/none", 404, "127.0.0.1"]);
    assert.deepEqual(others, []);
  });

  it("is of text by itself, off or of a level if so asked", ONCE, async () => {
    const requests = [request("GET /api/v1"), request("GET /a%0Ab\x85")];
    const { lines } = await linesAfter([], requests);
    assert.match(lines[0]!, /^\S+Z info GET \/api\/v1 \/api\/v1 200 bytes=\d+ ms=[\d.]+ [\da-f-]{36}$/);
    assert.ok(!/[\x80-\xff]/.test(lines.join("")), lines.join());
    assert.deepEqual((await linesAfter(["--log", "off"], requests)).lines, []);
    assert.deepEqual((await linesAfter(["--log-level", "warn"], requests)).lines, []);
  });

  it("delays no request when it is not read", async () => {
    const serving = await serve([...ANY, "--home", home]);
    serving.deafen();
    for (let i = 0; i < 20; i++) assert.equal((await get(serving, `/${"x".repeat(8000)}`)).status, 404);
    await serving.end();
  });
});

describe("the share of expensive requests", () => {
  const SHARE = 30;
  let home: string;
  before(() => home = unpackHome("browse.tar.gz", folder));

  /** Status of a request for a file that is not there: it is refused like any other. */
  const statusOf = async ({ urls }: Serving, fields: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${urls[0]}/raw/none/head/file`, { headers: fields });
    await response.body?.cancel();
    return response.status;
  };
  const useUp = async (serving: Serving, fields?: Readonly<Record<string, string>>) => {
    for (let sent = 0;; sent++) if (await statusOf(serving, fields) === 429) return sent;
  };

  it("is bounded for each client that a proxy names, and no other request is", ONCE, async () => {
    const args = ["--share", "1", "--behind-proxy", "--client-address-header", "X-Real-IP"];
    await whileServing(["--home", home, ...args], async (serving) => {
      const from = (address: string) => ({ "x-real-ip": address });
      assert.ok(await useUp(serving, from("2001:db8:0:1::1")) >= SHARE);
      // On a slow machine a little of a share is there again.
      assert.ok(await useUp(serving, from("2001:db8:0:1:9::9")) < SHARE);
      assert.notEqual(await statusOf(serving, from("2001:db8:0:2::1")), 429);
      assert.notEqual(await statusOf(serving, from("192.0.2.7")), 429);
      // Forged values count for the address of the socket.
      assert.ok(await useUp(serving, from("not an address")) >= SHARE);
      assert.ok(await useUp(serving, from("9".repeat(5000))) < SHARE);
      await useUp(serving, from("2001:db8:0:1::1"));
      const refused = await get(serving, "/raw/none/head/file", { headers: from("2001:db8:0:1::1") });
      assert.match(refused.headers.get("retry-after")!, /^[1-9]\d*$/);
      assert.equal(refused.headers.get("x-robots-tag"), "noindex, nofollow");
      assert.deepEqual(JSON.parse(refused.body), { error: "Too Many Requests", code: 429 });
      const cheap = await get(serving, "/api/v1/projects", { headers: from("2001:db8:0:1::1") });
      assert.deepEqual([cheap.status, cheap.headers.get("x-robots-tag")], [200, null]);
      const preflight = { method: "OPTIONS", headers: from("2001:db8:0:1::1") };
      assert.ok((await get(serving, "/raw/none/head/file", preflight)).status < 300);
    });
  });

  it("is unbounded for the owner, and for all together while nobody waits", ONCE, async () => {
    await whileServing(["--home", home, "--share", "1"], async (serving) => {
      let refused = 0;
      for (let sent = 0; sent < 15 * SHARE; sent++) {
        const status = await statusOf(serving, { "x-forwarded-for": `192.0.2.${sent % 250}` });
        if (status === 429) refused++;
      }
      // A machine with other work may be late at times.
      assert.ok(refused < 2 * SHARE, `${refused}`);
      assert.notEqual(await statusOf(serving), 429);
    });
  });

  it("needs the proxy to name clients, as the start says in a line", ONCE, async () => {
    for (const args of [[], ["--client-address-header", "X-Real-IP"]]) {
      const serving = await serve([...ANY, "--home", home, "--behind-proxy", ...args]);
      const lines = (await serving.end()).stderr.split("\n").filter((line) =>
        line.includes("--client-address-header NAME")
      );
      assert.equal(lines.length, args.length === 0 ? 1 : 0);
    }
  });
});

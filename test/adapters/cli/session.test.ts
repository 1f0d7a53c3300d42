/** `xylem session`: its options, and what it tells scripts and browsers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../../adapters/cli/demo/home.ts";
import { type Fetch, openAuthorized, openLink, openPageLink } from "../../../adapters/cli/sign_in.ts";
import { UsageError } from "../../../adapters/cli/command_line.ts";
import { parseCommand } from "../../../adapters/cli/parse_command.ts";
import { parseSignIn } from "../../../extensions/page/browser/session.ts";
import type { Signer } from "../../../src/ports/signer.ts";
import { BASE, createSessionApi, signerOfKey } from "../../session/session_api.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";
import { run, serve } from "./command.ts";

const EXPLORER = "https://app.example.org";

/** A service that gives the same answer to everything. */
const answering = (body: string, status = 200): Fetch => () =>
  Promise.resolve(new Response(body, { status }));

describe("the options of xylem session", () => {
  it("have defaults", () => {
    assert.deepEqual(parseCommand(["session"]), {
      verb: "session",
      explorer: "https://app.radicle.xyz",
    });
    assert.deepEqual(parseCommand(["session", "--demo", "--base", "http://h"]), {
      verb: "session",
      base: "http://h",
      explorer: "https://app.radicle.xyz",
      demo: true,
    });
  });

  it("name service, home and web app", () => {
    const args = [
      "--base",
      "https://example.org/radicle/",
      "--home",
      "x",
      "--explorer",
      "http://localhost:3000",
    ];
    assert.deepEqual(parseCommand(["session", ...args]), {
      verb: "session",
      base: "https://example.org/radicle",
      home: "x",
      explorer: "http://localhost:3000",
    });
  });

  for (
    const args of [
      ["--base", "127.0.0.1:8080"],
      ["--base", "ftp://example.org"],
      ["--base", "http://example.org/?a=b"],
      ["--explorer", "x"],
      ["--home", ""],
      ["--home", "x", "--demo"],
      ["--base"],
      ["--other"],
      ["more"],
    ]
  ) {
    it(`refuse ${args.map((arg) => JSON.stringify(arg)).join(" ")}`, () => {
      assert.throws(() => parseCommand(["session", ...args]), UsageError);
    });
  }
});

describe("a session for scripts", () => {
  it("is authorized", async () => {
    const api = await createSessionApi();
    const id = await openAuthorized(BASE, await signerOfKey(7), api.fetch);
    assert.equal((await api.ask("GET", `/sessions/${id}`)).body.status, "authorized");
  });

  it("is authorized while strangers have taken all places that need no key", async () => {
    const api = await createSessionApi({ behindProxy: true });
    const fetch: Fetch = async (url, init) => {
      api.clock.nowMs = Date.now();
      return await api.fetch(url, init);
    };
    api.clock.nowMs = Date.now();
    while ((await api.ask("POST", "/sessions")).status === 201);
    const id = await openAuthorized(BASE, await signerOfKey(7), fetch);
    assert.equal((await api.ask("GET", `/sessions/${id}`)).body.status, "authorized");
  });

  it("is asked for with a type, without which guards against forged forms refuse it", async () => {
    const api = await createSessionApi();
    const types: (string | null)[] = [];
    await openAuthorized(BASE, await signerOfKey(7), (url, init) => {
      types.push(new Headers(init.headers).get("content-type"));
      return api.fetch(url, init);
    });
    assert.deepEqual(types, ["application/json", "application/json"]);
  });

  it("is not asked of the service of another node", async () => {
    const { fetch } = await createSessionApi();
    await assert.rejects(openAuthorized(BASE, await signerOfKey(8), fetch), /belongs to another node/);
  });

  it("is not asked of a service that signs in wallets", async () => {
    const addresses = ["0x" + "ab".repeat(20)];
    const { fetch } = await createSessionApi({ wallets: { addresses, domain: "localhost" } });
    await assert.rejects(
      openAuthorized(BASE, await signerOfKey(7), fetch),
      /does not accept node keys/,
    );
  });

  it("signs nothing but ids of sessions", async () => {
    const { nodeId } = await signerOfKey(7);
    const signer: Signer = { nodeId, sign: () => assert.fail("signed") };
    for (
      const sessionId of [
        undefined,
        1,
        "",
        "x",
        "a".repeat(31),
        "a".repeat(33),
        `${"a".repeat(31)}\n`,
        "é".repeat(32),
      ]
    ) {
      const fetch = answering(JSON.stringify({ sessionId, publicKey: nodeId }));
      await assert.rejects(openAuthorized(BASE, signer, fetch), /does not accept node keys/);
    }
  });

  it("is refused with a reason that has no control characters", async () => {
    const signer = await signerOfKey(7);
    const refusing = (error: unknown) => answering(JSON.stringify({ error }), 503);
    for (
      const [fetch, message] of [
        [refusing("busy"), "Cannot sign in at http://localhost:8080: busy"],
        [refusing("\u001b[2Jx\n"), "Cannot sign in at http://localhost:8080: ?[2Jx?"],
        [answering("no JSON", 502), "Cannot sign in at http://localhost:8080: 502"],
        [answering("null", 502), "Cannot sign in at http://localhost:8080: 502"],
        [() => Promise.reject(new TypeError("no luck")), "Cannot reach http://localhost:8080: no luck"],
      ] as const
    ) await assert.rejects(openAuthorized(BASE, signer, fetch), { message });
  });
});

describe("a link for a browser", () => {
  it("contains all that the browser needs to authorize the session itself", async () => {
    const api = await createSessionApi();
    const link = new URL(await openLink(BASE, await signerOfKey(7), EXPLORER, api.fetch));
    const { pk, sig, addr } = Object.fromEntries(link.searchParams);
    const id = link.pathname.replace("/session/", "");
    assert.equal(link.origin, EXPLORER);
    assert.equal(addr, "localhost:8080");
    assert.equal((await api.ask("GET", `/sessions/${id}`)).body.status, "unauthorized");
    assert.equal((await api.ask("PUT", `/sessions/${id}`, { pk, sig })).status, 200);
  });

  it("names the port even where URLs leave it out", async () => {
    const { fetch } = await createSessionApi();
    for (
      const [base, addr] of [["http://example.org", "example.org:80"], [
        "https://example.org",
        "example.org:443",
      ]] as const
    ) {
      const link = new URL(await openLink(base, await signerOfKey(7), EXPLORER, fetch));
      assert.equal(link.searchParams.get("addr"), addr);
    }
  });
});

describe("a link for the page of the service", () => {
  it("has its secrets where no server sees them", async () => {
    const api = await createSessionApi({ page: true });
    const link = await openPageLink(BASE, await signerOfKey(7), api.fetch);
    const { origin, pathname, search, hash } = new URL(link ?? assert.fail("no link"));
    assert.deepEqual([origin, pathname, search], [BASE, "/", ""]);
    const { id, proof } = parseSignIn(hash) ?? assert.fail(hash);
    assert.equal((await api.ask("GET", `/sessions/${id}`)).body.status, "unauthorized");
    assert.equal((await api.ask("PUT", `/sessions/${id}`, proof)).status, 200);
  });

  it("is not made for a service without a page", async () => {
    const { fetch } = await createSessionApi();
    assert.equal(await openPageLink(BASE, await signerOfKey(7), fetch), undefined);
    const refused: Fetch = () => Promise.reject(new TypeError("no luck"));
    assert.equal(await openPageLink(BASE, await signerOfKey(7), refused), undefined);
  });
});

describe("a service that cannot be reached", () => {
  it("is reported with its cause, in our own words on each runtime", async () => {
    // No program listens on a port that is reserved and unused; a free one could be taken meanwhile.
    const unused = "http://127.0.0.1:2";
    await assert.rejects(openAuthorized(unused, await signerOfKey(7)), {
      message: `Cannot reach ${unused}: connection refused`,
    });
  });
});

describe("xylem session without --base", () => {
  let folder: string;
  let home: string;
  before(async () => {
    folder = temporaryFolder("session");
    home = join(folder, "home");
    mkdirSync(home);
    await makeDemoHome(home);
  });
  after(() => removeFolder(folder));
  const ANY = ["--listen", "127.0.0.1:0"];
  /** It may reach a service that is none of this test. */
  const UNFOUND =
    /^xylem: Cannot \w.* http:\/\/127\.0\.0\.1:8080: .*; use --base with the address of the service\n$/;

  /** Signs in at the service that it finds; the token, or what it says. */
  async function session(
    HOME: string,
    of = home,
  ): Promise<{ readonly token: string; readonly stderr: string }> {
    const { stdout, stderr } = await run(["session", "--home", of], { env: { HOME } });
    return { token: /^token {2}(\w+)$/m.exec(stdout)?.[1] ?? "", stderr };
  }

  async function knows(url: string | undefined, token: string): Promise<boolean> {
    const response = await fetch(`${url}/api/v1/sessions/${token}`);
    await response.body?.cancel();
    return response.status === 200;
  }

  it("finds the service that runs on the home, wherever it listens", async () => {
    const HOME = join(folder, "user");
    const other = join(folder, "other");
    mkdirSync(other);
    await makeDemoHome(other);
    const services = await Promise.all([
      serve([...ANY, "--home", home], { env: { HOME } }),
      serve(["--listen", "0.0.0.0:0", "--home", other], { env: { HOME } }),
    ]);
    const [url, otherUrl] = services.map(({ urls }) => urls[0]?.replace("0.0.0.0", "127.0.0.1"));
    const [{ token }, { token: otherToken }] = await Promise.all([session(HOME), session(HOME, other)]);
    assert.deepEqual([await knows(url, token), await knows(otherUrl, otherToken)], [true, true]);
    assert.deepEqual([await knows(otherUrl, token), await knows(url, otherToken)], [false, false]);
    for (const service of services) await service.end();
  });

  it("finds the next one after one that was killed, and names --base after the last one", async () => {
    const HOME = join(folder, "killed");
    const first = await serve([...ANY, "--home", home], { env: { HOME } });
    await first.end("SIGKILL");
    // Another program may have the port by now: nothing is asked there.
    const other = createServer((_, response) => {
      asked++;
      response.end("{}");
    }).listen(Number(new URL(first.urls[0]!).port), "127.0.0.1");
    let asked = 0;
    await once(other, "listening");
    const unreached =
      `xylem: Cannot reach http://127.0.0.1:8080: connection refused; use --base with the address of the service\n`;
    assert.deepEqual(await session(HOME), { token: "", stderr: unreached });
    const second = await serve([...ANY, "--home", home], { env: { HOME } });
    assert.ok(await knows(second.urls[0], (await session(HOME)).token));
    await second.end();
    assert.match((await session(HOME)).stderr, UNFOUND);
    assert.equal(asked, 0);
    other.close();
  });

  it("does not find one without a cache folder", async () => {
    const HOME = join(folder, "none");
    const service = await serve([...ANY, "--home", home, "--cache", "none"], { env: { HOME } });
    assert.match((await session(HOME)).stderr, UNFOUND);
    await service.end();
    assert.equal(existsSync(join(HOME, ".cache/xylem")), false);
  });
});

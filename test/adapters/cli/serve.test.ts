/** `xylem serve` as a process: what it serves, what it says, how it ends. */
import assert from "node:assert/strict";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { DEMO_EDITION } from "../../../adapters/cli/demo.ts";
import { VERSION } from "../../../src/version.ts";
import { folderOnDisk, removeFolder, unpackHome } from "../../support/programs.ts";
import { signInWith } from "../../session/sign_in_over_http.ts";
import { open, request } from "../wire.ts";
import { makeHome, NID, run, type RunOptions, serve, type Serving } from "./command.ts";

const ANY = ["--listen", "127.0.0.1:0"];
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1")
);

const isRoot = process.getuid?.() === 0;

let folder: string;
let home: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-cli-"));
  home = makeHome(join(folder, "home"), { "keys/radicle": "secret" });
});
after(() => rmSync(folder, { recursive: true }));

/** Serves while `use` runs, then ends it. */
async function whileServing(
  args: readonly string[],
  use: (serving: Serving) => unknown,
  options: RunOptions = {},
): Promise<string> {
  const serving = await serve(args, options);
  try {
    await use(serving);
  } catch (error) {
    await serving.end();
    throw error;
  }
  const { status, stderr } = await serving.end();
  assert.equal(status, 0);
  return stderr;
}

/** A checkout of which nothing is installed. */
function bareCheckout(): string {
  const checkout = join(folder, "checkout");
  for (const part of ["adapters", "extensions", "src", "mod.ts", "package.json", "deno.json"]) {
    cpSync(new URL(`../../../${part}`, import.meta.url), join(checkout, part), { recursive: true });
  }
  return checkout;
}

// Bun installs what is missing by itself.
it("a checkout that is not set up says what to run", { skip: "Bun" in globalThis }, async () => {
  const { status, stderr } = await run(["serve", "--home", home, ...ANY], { checkout: bareCheckout() });
  assert.deepEqual([status, stderr], [
    1,
    "xylem: A module is missing: run npm run setup in a checkout, or install the package again\n",
  ]);
});

async function status(url: string | undefined, path: string): Promise<number> {
  const response = await fetch(`${url}${path}`);
  await response.body?.cancel();
  return response.status;
}

describe("xylem serve", () => {
  it("says where it serves which home", async () => {
    const stderr = await whileServing([...ANY, "--home", home], async ({ stdout, urls: [url] }) => {
      assert.match(url ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(
        stdout,
        `Serving ${url}\n  home          ${home}\n  node          ${NID} (alice)\n  repositories  0\n` +
          `Open ${url}/\nCtrl-C ends the service.\n`,
      );
      assert.equal(await status(url, "/api/v1/projects"), 200);
    }, { isWarmed: true });
    assert.equal(stderr, "");
  });

  it("gives browsers a page, unless it is switched off", async () => {
    const typeFor = async (url: string | undefined, accept: string) => {
      const response = await fetch(`${url}/`, { headers: { accept } });
      await response.body?.cancel();
      return response.headers.get("content-type");
    };
    await whileServing([...ANY, "--home", home], async ({ urls: [url] }) => {
      assert.equal(await typeFor(url, "text/html,*/*;q=0.8"), "text/html; charset=utf-8");
      assert.equal(await typeFor(url, "*/*"), "application/json");
    });
    await whileServing([...ANY, "--home", home, "--no-page"], async ({ urls: [url] }) => {
      assert.equal(await typeFor(url, "text/html,*/*;q=0.8"), "application/json");
    });
  });

  it("is the default verb", async () => {
    await whileServing(["serve", ...ANY, "--home", home], ({ urls }) => assert.equal(urls.length, 1));
    await whileServing(["--", ...ANY, "--home", home], ({ urls }) => assert.equal(urls.length, 1));
  });

  it("listens on every address that it was given", async () => {
    const path = join(folder, "x.sock");
    const listen = ["127.0.0.1:0", `unix:${path}`, ...hasIpv6 ? ["[::1]:0"] : []];
    const args = listen.flatMap((address) => ["--listen", address]);
    await whileServing([...args, "--home", home], async ({ urls }) => {
      assert.equal(urls.length, listen.length);
      for (const url of urls.filter((url) => url.startsWith("http:"))) {
        assert.equal(await status(url, "/api/v1"), 200);
      }
      const wire = await open({ transport: "unix", path });
      wire.send(request("GET /api/v1"));
      assert.match(await wire.end(), /^HTTP\/1\.1 200/);
    });
    assert.equal(existsSync(path), false);
  });

  it("listens on both addresses of localhost, at the same port, and says so", async () => {
    const args = ["--listen", "localhost:0", "--metrics", "localhost:0", "--home", home];
    await whileServing(args, async ({ stdout, urls }) => {
      const { port } = new URL(urls[0]!);
      assert.deepEqual(
        urls,
        ["127.0.0.1", ...hasIpv6 ? ["[::1]"] : []].map((host) => `http://${host}:${port}`),
      );
      for (const url of urls) assert.equal(await status(url, "/api/v1"), 200);
      const metrics = /metrics +(\S+)/.exec(stdout)?.[1] ?? "";
      const hosts = hasIpv6 ? ["127.0.0.1", "[::1]"] : ["127.0.0.1"];
      for (const host of hosts) assert.equal(await status(metrics.replace("127.0.0.1", host), ""), 200);
    });
  });

  it(
    "refuses localhost when another program listens on one of its addresses",
    { skip: !hasIpv6 },
    async () => {
      const other = createServer().listen(0, "::1");
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      assert.deepEqual(await run(["--listen", `localhost:${port}`, "--home", home]), {
        status: 1,
        stdout: "",
        stderr:
          `xylem: Cannot listen on http://[::1]:${port}: the address is in use; choose another one with --port\n`,
      });
      other.close();
    },
  );

  it("serves a home without a secret key and says what that means", async () => {
    const readOnly = makeHome(join(folder, "read-only"));
    const stderr = await whileServing([...ANY, "--home", readOnly], async ({ urls: [url] }) => {
      assert.equal(await status(url, "/api/v1/projects"), 200);
    });
    assert.match(stderr, /^\S+ warn keys\/radicle is missing: .*\n$/);
  });

  it("takes an alias with a space as it is", async () => {
    const spaced = makeHome(join(folder, "spaced"), { "config.json": '{"node":{"alias":"has space"}}' });
    await whileServing([...ANY, "--home", spaced], ({ stdout }) => assert.match(stdout, /\(has space\)/));
  });

  it("continues when its log is not read any more", async () => {
    const edited = makeHome(join(folder, "edited"));
    await whileServing([...ANY, "--home", edited], async ({ urls: [url], deafen }) => {
      deafen();
      writeFileSync(join(edited, "config.json"), "{");
      for (const path of ["/api/v1/projects?show=pinned", "/api/v1"]) {
        assert.equal(await status(url, path), 200);
      }
    });
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`ends with status 0 on ${signal}, idle connections or not`, async () => {
      const serving = await serve([...ANY, "--home", home]);
      const { port } = new URL(serving.urls[0] ?? "");
      const wire = await open({ transport: "tcp", hostname: "127.0.0.1", port: Number(port) });
      wire.send("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await wire.until("{");
      assert.deepEqual({ ...await serving.end(signal), stdout: "" }, { status: 0, stdout: "", stderr: "" });
      await wire.end();
    });
  }
});

describe("the home", () => {
  it("is RAD_HOME", async () => {
    const env = { RAD_HOME: home, HOME: folder };
    await whileServing(ANY, ({ stdout }) => assert.ok(stdout.includes(` ${home}\n`)), { env });
  });

  it("is ~/.radicle without RAD_HOME", async () => {
    const HOME = join(folder, "user");
    const usual = makeHome(join(HOME, ".radicle"));
    await whileServing(ANY, ({ stdout }) => assert.ok(stdout.includes(` ${usual}\n`)), { env: { HOME } });
  });

  it("has the user's name as alias when there is no config.json", async () => {
    const bare = makeHome(join(folder, "bare"));
    unlinkSync(join(bare, "config.json"));
    const args = [...ANY, "--home", bare];
    await whileServing(args, ({ stdout }) => assert.match(stdout, /\(someone\)/), {
      env: { USER: "someone" },
    });
    for (const env of [{}, { USER: "bad user" }, { USER: "x".repeat(33) }]) {
      const { status, stderr } = await run(args, { env });
      assert.equal(status, 1);
      assert.match(stderr, /^xylem: Cannot use the user name ".*" as alias: [^\n]+\n$/);
    }
  });

  const unusable: Record<string, [Record<string, string>, RegExp]> = {
    "with a config.json that is not JSON": [{ "config.json": "{" }, /config\.json is not JSON/],
    "with a config.json without alias": [{ "config.json": "{}" }, /config\.json lacks node\.alias/],
    "with a broken public key": [
      { "keys/radicle.pub": "x" },
      /keys\/radicle\.pub holds no Ed25519 public key/,
    ],
  };
  for (const [what, [files, message]] of Object.entries(unusable)) {
    it(`is refused ${what}`, async () => {
      const { status, stdout, stderr } = await run([...ANY, "--home", makeHome(join(folder, what), files)]);
      assert.deepEqual([status, stdout], [1, ""]);
      assert.match(stderr, message);
      assert.match(stderr, /^xylem: [^\n]+\n$/);
    });
  }

  it("is refused when it is missing, with advice on how to create one", async () => {
    const { status, stderr } = await run([...ANY, "--home", join(folder, "none")]);
    assert.equal(status, 1);
    const advice = "rad auth creates one; --demo serves a demo home";
    assert.equal(
      stderr,
      `xylem: No Radicle home in ${join(folder, "none")}: keys/radicle.pub is missing; ${advice}\n`,
    );
  });
});

describe("the private repository", () => {
  const PATH = "/api/v1/projects/rad:z41Z7nTi41vMq7zrqaD3VAc2Kbiw5";
  let browse: string;
  before(() => browse = unpackHome("browse.tar.gz", folder));

  /** What the path answers to a page of each origin, or to no page at all. */
  async function statuses(args: readonly string[], ...origins: (string | undefined)[]): Promise<number[]> {
    const found: number[] = [];
    await whileServing([...ANY, "--home", browse, ...args], async ({ urls: [url] }) => {
      for (const origin of origins) {
        const response = await fetch(`${url}${PATH}`, { headers: origin === undefined ? {} : { origin } });
        await response.body?.cancel();
        found.push(response.status);
      }
    });
    return found;
  }

  it("is there for programs on this machine and for trusted pages", async () => {
    const [app, other] = ["https://app.radicle.xyz", "https://other.example"];
    assert.deepEqual(await statuses([], undefined, app, other), [200, 200, 404]);
    assert.deepEqual(await statuses(["--trust-origin", other], undefined, app, other), [200, 200, 200]);
  });

  it("is hidden behind a proxy", async () => {
    assert.deepEqual(await statuses(["--behind-proxy"], undefined, "https://app.radicle.xyz"), [404, 404]);
  });

  it("is there over a Unix socket", async () => {
    const path = join(folder, "private.sock");
    await whileServing(["--listen", `unix:${path}`, "--home", browse], async () => {
      const wire = await open({ transport: "unix", path });
      wire.send(request(`GET ${PATH}`));
      assert.match(await wire.end(), /^HTTP\/1\.1 200/);
    });
  });
});

describe("the demo home", () => {
  const shownHome = (stdout: string) => /home +(.*) \(demo(?:: [^()\n]+)?\)\n/.exec(stdout)?.[1] ?? "";
  const demoHomes = (HOME: string) =>
    readdirSync(join(HOME, ".cache", "xylem")).filter((name) => name.startsWith("demo"));

  it("is made where there is no other, and kept for the next time", async () => {
    const HOME = join(folder, "nobody");
    const homes: string[] = [];
    const told: string[] = [];
    for (const args of [ANY, [...ANY, "--demo"]]) {
      const stderr = await whileServing(args, async ({ stdout, urls: [url] }) => {
        homes.push(shownHome(stdout));
        assert.match(stdout, /repositories +3\n/);
        assert.equal(await status(url, "/"), 200);
        assert.equal(await status(url, "/api/v1/projects"), 200);
      }, { env: { HOME } });
      told.push(stderr);
    }
    const [first = "", second] = homes;
    assert.equal(told[0], `Making a demo home in ${first}; this takes a few seconds, only the first time\n`);
    assert.equal(told[1], "");
    assert.equal(first, join(HOME, ".cache", "xylem", `demo-${DEMO_EDITION}`));
    assert.equal(second, first);
    assert.equal(statSync(first).mode & 0o777, 0o700);
    assert.equal(statSync(join(first, "keys", "radicle")).mode & 0o777, 0o600);
    assert.equal(demoHomes(HOME).length, 1);
  });

  it("is made among temporary files without HOME, and what is unset is said", async () => {
    const TMPDIR = join(folder, "temporary");
    mkdirSync(TMPDIR);
    for (
      const [args, note] of [[[], "(demo: RAD_HOME and HOME are not set)"], [
        ["--demo"],
        "(demo)",
      ]] as const
    ) {
      await whileServing([...ANY, ...args], ({ stdout }) => {
        assert.equal(shownHome(stdout), join(TMPDIR, "xylem", `demo-${DEMO_EDITION}`));
        assert.ok(stdout.includes(note), stdout);
      }, { env: { TMPDIR } });
    }
    assert.deepEqual(await run(["session"], { env: { TMPDIR } }), {
      status: 1,
      stdout: "",
      stderr: "xylem: No Radicle home: RAD_HOME and HOME are not set; use --home DIR or --demo\n",
    });
  });

  it(
    "of another user is not served",
    { skip: isRoot ? false : "only root can give files away" },
    async () => {
      const TMPDIR = join(folder, "foreign");
      const home = makeHome(join(TMPDIR, "xylem", `demo-${DEMO_EDITION}`));
      chownSync(home, 65534, 65534);
      assert.deepEqual(await run([...ANY, "--demo"], { env: { TMPDIR } }), {
        status: 1,
        stdout: "",
        stderr: `xylem: The demo home in ${home} belongs to another user: remove it, or set HOME\n`,
      });
    },
  );

  it("is the same for two that make it at once", async () => {
    const env = { HOME: join(folder, "two") };
    const nodes = await Promise.all([1, 2].map(async () => {
      let shown: string | undefined;
      await whileServing(ANY, ({ stdout }) => void (shown = /node +(z6Mk\w+)/.exec(stdout)?.[1]), { env });
      return shown;
    }));
    assert.ok(nodes[0]);
    assert.equal(nodes[1], nodes[0]);
    assert.equal(demoHomes(env.HOME).length, 1);
  });
});

describe("an unusable command line", () => {
  const cases: Record<string, string[]> = {
    "an unknown option": ["--unknown"],
    "an option without its value": ["--home"],
    "an unusable address": ["--listen", ":8080"],
    "an unknown verb": ["explode"],
  };
  for (const [what, args] of Object.entries(cases)) {
    it(`with ${what} gets one line and status 2`, async () => {
      const { status, stdout, stderr } = await run(args);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /^xylem: [^\n]+\n$/);
    });
  }
});

describe("a port in use", () => {
  it("gets one line and status 1", async () => {
    await whileServing([...ANY, "--home", home], async ({ urls: [url = ""] }) => {
      const args = ["--home", home, ...ANY, "--listen", url.replace("http://", "")];
      assert.deepEqual(await run(args), {
        status: 1,
        stdout: "",
        stderr: `xylem: Cannot listen on ${url}: the address is in use; choose another one with --port\n`,
      });
    });
  });
});

describe("--help and --version", () => {
  it("go to standard output, with status 0", async () => {
    const help = await run(["--help"]);
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    assert.match(help.stdout, /--listen ADDRESS/);
    assert.deepEqual(await run(["--version"]), { status: 0, stdout: `${VERSION}\n`, stderr: "" });
    const session = await run(["session", "--help"]);
    assert.deepEqual([session.status, session.stderr], [0, ""]);
    assert.match(session.stdout, /--explorer URL/);
  });
});

/** Paths of a home that are read without signing anything, as an option of Deno has them. */
function readInHome(home: string): string {
  return ["config.json", "cobs", "keys/radicle.pub", "node", "storage"].map((name) => `${home}/${name}`)
    .join();
}

describe("Deno's permissions", { skip: "Deno" in globalThis ? false : "only Deno has permissions" }, () => {
  // Deno reads nothing below /dev, where a RAM disk is, without all permissions.
  let onDisk: string;
  let home: string;
  before(() => {
    onDisk = folderOnDisk("permissions");
    home = makeHome(join(onDisk, "home"), { "keys/radicle": "secret" });
  });
  after(() => removeFolder(onDisk));

  it("for the home and the socket suffice to read; what is lost is said once", async () => {
    const permissions = [`--allow-read=${home}`, "--allow-net=127.0.0.1:0"];
    const stderr = await whileServing([...ANY, "--home", home], async ({ urls: [url] }) => {
      for (const path of ["/", "/api/v1/projects", "/api/v1/node/policies/repos"]) {
        assert.equal(await status(url, path), 200);
      }
    }, { permissions });
    for (const option of [`--allow-write=${home} `, `--allow-net=unix:${home}/node/control.sock`]) {
      assert.equal(stderr.split(`without ${option}`).length, 2, stderr);
    }
    assert.equal(stderr.match(/Deno lacks permissions/g)?.length, 1);
  });

  it("for the secret key are needed by changes alone, which say so", async () => {
    const readable = readInHome(home);
    for (
      const permissions of [[`--allow-read=${readable}`], [
        `--allow-read=${home}`,
        `--deny-read=${home}/keys/radicle`,
      ]]
    ) {
      const stderr = await whileServing([...ANY, "--home", home], async ({ urls }) => {
        for (const path of ["/", "/api/v1/projects", "/api/v1/node", "/api/v1/node/policies/repos"]) {
          assert.equal(await status(urls[0], path), 200);
        }
        const answer = await fetch(`${urls[0]}/api/v1/projects/rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp/issues`, {
          method: "POST",
          headers: { authorization: `Bearer ${await signInWith(urls)}`, "content-type": "application/json" },
          body: JSON.stringify({ title: "One", description: "", labels: [], assignees: [], embeds: [] }),
        });
        assert.deepEqual([answer.status, await answer.json()], [401, { error: "Unauthorized", code: 401 }]);
      }, { permissions: [...permissions, "--allow-net=127.0.0.1:0"] });
      const option = `--allow-read=${home}/keys/radicle`;
      assert.ok(stderr.includes(`without ${option} --allow-write=${home} nothing can be changed`), stderr);
      assert.match(stderr, new RegExp(`Cannot sign.*Deno needs ${option}\\n`));
      assert.doesNotMatch(stderr, /is missing/);
    }
  });

  it("for a file of sessions suffice to keep sessions in it", async () => {
    const file = join(onDisk, "sessions.db");
    const permissions = [`--allow-read=${home},${file}`, `--allow-write=${file}`, "--allow-net=127.0.0.1:0"];
    const args = [...ANY, "--home", home, "--sessions", file];
    let token = "";
    await whileServing(args, async ({ urls }) => void (token = await signInWith(urls)), { permissions });
    // The next process knows the session.
    await whileServing(args, async ({ urls: [url] }) => {
      assert.equal(await status(url, `/api/v1/sessions/${token}`), 200);
    }, { permissions });
  });

  it("that are missing for sessions are named", async () => {
    const file = join(onDisk, "sessions.db");
    const socket = join(onDisk, "store.sock");
    const places: Record<string, string> = {
      [file]: `--allow-read=${file} --allow-write=${file}`,
      "redis://user:secret@store.example.org/1": "--allow-net=store.example.org:6379",
      "rediss://[::1]:7000": "--allow-net=[::1]:7000",
      [`unix:${socket}`]: `--allow-read=${socket} --allow-write=${socket} --allow-net=unix:${socket}`,
    };
    const permissions = [`--allow-read=${home}`, "--allow-net=127.0.0.1:0"];
    for (const [place, options] of Object.entries(places)) {
      assert.deepEqual(await run([...ANY, "--home", home, "--sessions", place], { permissions }), {
        status: 1,
        stdout: "",
        stderr: `xylem: Deno lacks permissions: run it with ${options}\n`,
      });
    }
  });

  it("that are missing are named, and nothing is served", async () => {
    // Without any option of permissions, Deno's `node:child_process` passes on all permissions of this process.
    const ofVariables = "--allow-env=RAD_HOME,HOME, or name the home with --home DIR";
    const required: readonly (readonly [options: string, permissions: string[], args: string[]])[] = [
      [
        `--allow-read=${readInHome(home)} --allow-net=127.0.0.1:0`,
        ["--allow-env=UNUSED"],
        ["--home", home, ...ANY],
      ],
      ["--allow-net=127.0.0.1:0", [`--allow-read=${home}`], ["--home", home, ...ANY]],
      [
        "--allow-net=127.0.0.1:0,[::1]:0",
        [`--allow-read=${home}`, "--allow-net=localhost:0"],
        ["--home", home, "--listen", "localhost:0"],
      ],
      [ofVariables, ["--allow-net"], ANY],
      [ofVariables, ["--allow-env=RAD_HOME"], ["session"]],
    ];
    for (const [options, permissions, args] of required) {
      assert.deepEqual(await run(args, { permissions }), {
        status: 1,
        stdout: "",
        stderr: `xylem: Deno lacks permissions: run it with ${options}\n`,
      });
    }
  });

  it("for its files are enough for a cache folder", async () => {
    const cache = join(onDisk, "cache");
    const permissions = [
      `--allow-read=${home},${cache}`,
      `--allow-write=${cache}`,
      "--allow-net=127.0.0.1:0",
    ];
    const stderr = await whileServing([...ANY, "--home", home, "--cache", cache], () => {
      assert.deepEqual(readdirSync(cache).filter((name) => name.endsWith(".xylem")).length, 1);
    }, { permissions });
    assert.doesNotMatch(stderr, /cannot be saved/);
  });

  it("that are missing for the demo home are named", async () => {
    const required: Record<string, string[]> = {
      "XDG_CACHE_HOME,HOME": ["--allow-env=HOME"],
      "TMPDIR,TMP,TEMP": ["--allow-env=XDG_CACHE_HOME,HOME,TMPDIR"],
    };
    for (const [variables, permissions] of Object.entries(required)) {
      assert.deepEqual(await run([...ANY, "--demo"], { permissions }), {
        status: 1,
        stdout: "",
        stderr: `xylem: Deno lacks permissions: the demo home needs --allow-env=${variables}\n`,
      });
    }
  });
});

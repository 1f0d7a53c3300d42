/** The files of deploy/ with the programs that they are for: `sh test/interop/install_servers.sh` installs these. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  removeFolder,
  ROOT,
  type Service,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { startCaddy, startNginxBefore } from "../support/servers.ts";

/** Status of bodies that are too large: Caddy before 2.7 sends on what it takes of them, and breaks off. */
const CADDY_REFUSALS = [400, 413, 502];

const PRIVATE = "/api/v1/projects/rad:z41Z7nTi41vMq7zrqaD3VAc2Kbiw5";
const folder = temporaryFolder("deploy");
// Debian has nginx in a folder that only root searches.
const PATH = [process.env["PATH"], "/usr/sbin", "/usr/bin"].join(delimiter);
const deployed = (name: string) => readFileSync(join(ROOT, "deploy", name), "utf8");
/** A text with a part replaced that must be there. */
function replaced(text: string, part: string, by: string): string {
  assert.ok(text.includes(part), part);
  return text.replace(part, by);
}

let service: Service;
let home: string;
before(async () => {
  home = unpackHome("browse.tar.gz", folder);
  service = await startService("node", home, ["--behind-proxy"]);
});
after(async () => {
  await service.stop();
  removeFolder(folder);
});

interface Answer {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly body: string;
}

/** Sends a request to a proxy, for a host that the service does not know. */
async function ask({ url }: Service, path: string, body?: Uint8Array): Promise<Answer> {
  const headers = { host: "radicle.example", "accept-encoding": "gzip", "content-type": "application/json" };
  const asked = request({
    host: "127.0.0.1",
    port: new URL(url).port,
    path,
    method: body === undefined ? "GET" : "POST",
    headers,
    agent: false,
  });
  // After the answer has begun, a body that is not taken to its end is no failure.
  asked.on("error", () => {});
  asked.end(body);
  const [response] = await once(asked, "response");
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const encoding: string | undefined = response.headers["content-encoding"];
  return {
    status: response.statusCode,
    encoding,
    body: String(encoding === "gzip" ? gunzipSync(bytes) : bytes),
  };
}

/**
 * Requests through a proxy give the answers of the service, compressed where that pays. A body that is too
 * large is refused with one of `refusals`.
 */
async function checkProxy(proxy: Service, refusals: readonly number[]): Promise<void> {
  const projects = await ask(proxy, "/api/v1/projects");
  assert.equal(projects.encoding, "gzip");
  const { id, head } = JSON.parse(projects.body).find(({ name }: { name: string }) => name === "plain");
  for (
    const path of [
      "/",
      "/api/v1/projects",
      `/api/v1/projects/${encodeURIComponent(id)}`,
      `/api/v1/projects/${id}/tree/${head}/`,
      `/api/v1/projects/${id}/blob/${head}/no%2Fsuch%20file%25`,
      PRIVATE,
    ]
  ) {
    const direct = await fetch(service.url + path);
    const { status, body } = await ask(proxy, path);
    assert.deepEqual([status, body], [direct.status, await direct.text()], path);
  }
  assert.equal((await ask(proxy, PRIVATE)).status, 404);
  const issues = `/api/v1/projects/${id}/issues`;
  const large = (bytes: number) => new Uint8Array(bytes).fill(0x20);
  assert.ok([400, 401].includes((await ask(proxy, issues, large(4 * 2 ** 20 - 16))).status));
  // The connection may be closed while the body is still being sent.
  const refused = await ask(proxy, issues, large(4 * 2 ** 20 + 2 ** 16)).then(
    ({ status }) => status,
    () => 413,
  );
  assert.ok(refusals.includes(refused), `${refused}`);
}

/** Requests until an answer is in the cache of a proxy, at most. */
const MAX_ASKED = 1000;

/** Number of files below a folder. */
function countFiles(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
}

describe("deploy/nginx.conf", () => {
  it("serves all that the service answers, compressed, and caches on disk", async () => {
    const place = join(folder, "nginx");
    mkdirSync(place);
    const nginx = await startNginxBefore(place, [service.url]);
    try {
      await checkProxy(nginx, [413]);
      const cache = join(place, "nginx-cache");
      const { id, head } = JSON.parse((await ask(nginx, "/api/v1/projects")).body)[0];
      // nginx may write the file a moment after it has answered.
      for (let i = 0; i < MAX_ASKED && countFiles(cache) === 0; i++) {
        assert.equal((await ask(nginx, `/api/v1/projects/${id}/readme/${head}`)).status, 200);
      }
      assert.ok(countFiles(cache) > 0);
    } finally {
      await nginx.stop();
    }
  });
});

describe("deploy/Caddyfile", () => {
  it("serves all that the service answers, compressed", async () => {
    const place = join(folder, "caddy");
    mkdirSync(place);
    const caddy = await startCaddy(place, [service.url]);
    try {
      await checkProxy(caddy, CADDY_REFUSALS);
    } finally {
      await caddy.stop();
    }
  });
});

/** What each unit's command is given here, so that it ends at once: with a home or a bucket that is not there. */
const UNITS = {
  "xylem.service": ["--home", join(folder, "none")],
  "xylem-publish.service": ["--home", join(folder, "none")],
  "xylem-replica.service": [],
};

for (const [name, more] of Object.entries(UNITS)) {
  describe(`deploy/${name}`, () => {
    it("is a unit that systemd accepts, of a command that the service has", () => {
      const unit = join(folder, name);
      const text = deployed(name);
      writeFileSync(unit, text);
      const env = { ...process.env, PATH, SYSTEMD_LOG_LEVEL: "warning" };
      assert.equal(
        execFileSync("systemd-analyze", ["verify", unit], { env, encoding: "utf8", stdio: "pipe" }),
        "",
      );
      const args = /^ExecStart=\/usr\/bin\/env xylem (.*)$/m.exec(text)?.[1]?.split(" ") ??
        assert.fail("no command");
      const node = join(ROOT, "node_modules/.bin/node");
      const main = join(ROOT, "adapters/cli/main.ts");
      // A command line that cannot be followed has the status 2, a home or credentials that are not there 1.
      assert.throws(
        () => execFileSync(node, [main, ...args, ...more], { stdio: "pipe" }),
        ({ status }) => status === 1,
      );
    });
  });
}

// container.test.ts builds it for real where the machine allows containers.
describe("deploy/Containerfile", () => {
  it("has steps that make a folder which serves", async () => {
    const place = join(folder, "image");
    mkdirSync(place);
    symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
    const lines = deployed("Containerfile").split("\n");
    for (const line of lines.filter((line) => line.startsWith("COPY "))) {
      const [, ...names] = line.split(" ");
      const target = names.pop()!;
      for (const name of names) {
        const to = target === "./" ? join(place, name) : join(place, target);
        cpSync(join(ROOT, name), to, { recursive: true });
      }
    }
    const env = { ...process.env, PATH: [join(ROOT, "node_modules/.bin"), PATH].join(delimiter) };
    const builds = lines.filter((line) => line.startsWith("RUN node ")).map((line) =>
      line.slice("RUN ".length)
    );
    assert.equal(builds.length, 1);
    // The cache folder of an image is not one of this machine.
    execFileSync("sh", [
      "-c",
      replaced(
        builds[0]!,
        " && mkdir -p /var/cache/xylem /var/lib/xylem && chown node /var/cache/xylem /var/lib/xylem",
        "",
      ),
    ], {
      cwd: place,
      env,
    });
    const [program, ...args] = JSON.parse(
      lines.find((line) => line.startsWith("CMD "))!.slice("CMD ".length),
    );
    const given = args.map((arg: string) =>
      arg === "0.0.0.0:8080" ? "127.0.0.1:0" : arg === "/var/cache/xylem" ? join(folder, "cache") : arg
    );
    const child = spawn(program, given, {
      cwd: place,
      env: { ...env, RAD_HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
    });
    const ended = once(child, "close");
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      said += text;
      const url = /Serving (http:\S+)/.exec(said)?.[1];
      if (url === undefined) continue;
      assert.equal((await fetch(`${url}/api/v1/projects`)).status, 200);
      break;
    }
    child.kill();
    await ended;
    assert.match(said, /Serving/);
  });
});

/**
 * The proxies of deploy/, each with the real program: whom they name as the client, which answers they shorten to 304, and what their
 * logs have. `sh test/interop/install_servers.sh` installs them.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { createClient } from "../../src/client/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { allExtensions } from "../support/extensions.ts";
import { allRoutes } from "../../src/routes/table.ts";
import { type DemoNames, type GoodRequest, goodRequests, lookAround } from "../hostile/requests/good.ts";
import { copyDemoHome } from "../support/demo_home.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { removeFolder, ROOT, type Service, startService, temporaryFolder } from "../support/programs.ts";
import { PROXIES, type Proxy } from "../support/servers.ts";

const FILES = Object.keys(PROXIES);
/** Less than nginx waits for the lock of a cache. */
const UNLOCKED_MS = 4000;
/** Pause between two looks at a log. */
const PAUSE_MS = 20;
/** Names for paths whose requests reach no service. */
const NAMES: DemoNames = {
  nid: parseNid("z6MksFqXN3Yhqk8pTJdUGLwATkRfQvwZXPqR2qMEhbS9wzpT"),
  rid: "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
  head: "c".repeat(40),
  issue: "1".repeat(40),
  patch: "2".repeat(40),
  changed: {
    rid: "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji",
    issue: "3".repeat(40),
    patch: "4".repeat(40),
    head: "5".repeat(40),
    parent: "6".repeat(40),
  },
  token: "a".repeat(32),
  sessionId: "b".repeat(32),
};

const folder = temporaryFolder("proxies");
const running: { stop(): unknown }[] = [];
let service: Service;
let home: string;
before(async () => {
  home = join(folder, "home");
  await copyDemoHome(home);
  service = await startService("node", home, ["--share", "0"]);
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});
after(async () => {
  await service.stop();
  removeFolder(folder);
});

let places = 0;
/** Starts a proxy that has stored nothing yet. */
async function start(file: string, url: string, edit?: (text: string) => string): Promise<Proxy> {
  const place = join(folder, `${places++}`);
  mkdirSync(place);
  const proxy = await PROXIES[file]!(place, [url], edit);
  running.push(proxy);
  return proxy;
}

/** Starts a service that answers as it is told; returns its address. */
async function startUpstream(answer: RequestListener): Promise<string> {
  const server: Server = createServer((request, response) => {
    // haproxy asks for its health.
    if (request.url === "/readyz") response.end("ready\n");
    else answer(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  running.push({ stop: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a request with any header fields, some of them several times. */
async function send(
  url: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path: target, headers, agent: false }).end();
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return response;
}

/** Ways to write an address into the field by which the service tells clients apart. */
const FORGED: readonly Readonly<Record<string, string | string[]>>[] = [
  {},
  { "X-Real-IP": "203.0.113.9" },
  { "x-real-ip": ["203.0.113.9", "203.0.113.10"] },
  { "X-Real-IP": "203.0.113.9", connection: "close, x-real-ip" },
  { "X-Real-IP": "", "X-Forwarded-For": "203.0.113.9" },
];

/** Where files of a kind lead requests: each place gets a line that names it in the answer. */
interface Leads {
  readonly places: RegExp;
  named(place: string, number: number): string;
}

const LEADS: Readonly<Record<string, Leads>> = {
  "nginx.conf": {
    // A brace within a pattern has a number behind it.
    places: /^[ \t]*location\b[^]*?\{(?=\s)/gm,
    named: (place, number) => `${place} add_header X-Place ${number} always;`,
  },
  Caddyfile: {
    places: /^[ \t]*reverse_proxy\b.*$/gm,
    named: (place, number) => {
      const field = `header_down X-Place ${number}`;
      return place.endsWith("{") ? `${place}\n${field}` : `${place} {\n${field}\n}`;
    },
  },
  "haproxy.cfg": {
    places: /^(?:frontend|backend|listen)\b.*$/gm,
    named: (place, number) => `${place}\n  http-response add-header X-Place ${number}`,
  },
};

/** Has each place of a file name itself; `count` gets how many there are. */
function namePlaces(file: string, count: (places: number) => void): (text: string) => string {
  const { places, named } = LEADS[file.replace("compose.", "")]!;
  return (text) => {
    let number = 0;
    const edited = text.replace(places, (place) => named(place, number++));
    count(number);
    return edited;
  };
}

/** Places through which each request goes. */
type Places = ReadonlyMap<GoodRequest, string>;

/** Sends requests with forged addresses, each of which the proxy has to replace; returns their places. */
async function sendForged(file: string, requests: readonly GoodRequest[]): Promise<Places> {
  const given: (readonly string[])[] = [];
  const upstream = await startUpstream(({ headersDistinct }, response) => {
    given.push(headersDistinct["x-real-ip"] ?? []);
    response.end();
  });
  let count = 0;
  const { url } = await start(file, upstream, namePlaces(file, (places) => count = places));
  const reached = new Map<GoodRequest, string>();
  for (const good of requests) {
    const { method, target } = good.draft;
    for (const forged of FORGED) {
      const before = given.length;
      const { headers } = await send(url, method, target, forged);
      const what = `${method} ${target} ${JSON.stringify(forged)}`;
      assert.equal(given.length, before + 1, what);
      assert.deepEqual(given.at(-1), ["127.0.0.1"], what);
      reached.set(good, String(headers["x-place"]));
    }
  }
  const names = new Set([...reached.values()].flatMap((places) => places.split(", ")));
  assert.ok(count > 0);
  assert.deepEqual([...names].sort(), Array.from({ length: count }, (_, i) => `${i}`), "places of the file");
  return reached;
}

/** The body of an answer, and what caches go by. */
async function get(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, { headers });
  return { status: response.status, etag: response.headers.get("etag"), body: await response.text() };
}

describe("the proxies of deploy/", () => {
  it("are all tested here", () => {
    const files = readdirSync(join(ROOT, "deploy")).filter((name) => /nginx|caddy|haproxy/i.test(name));
    assert.deepEqual(files.sort(), FILES.toSorted());
  });
});

for (const file of FILES) {
  describe(`deploy/${file}`, () => {
    it("names the client itself, at each place to which it leads requests", async () => {
      await sendForged(file, goodRequests(NAMES));
    });

    it("answers 304 to those who have an answer, and sends it whole to others", async () => {
      const proxy = await start(file, service.url);
      const names = await lookAround(home, service.url);
      // A request through a proxy is a stranger's.
      const STRANGER = { "x-real-ip": "192.0.2.1" };
      let tagged = 0;
      for (const { endpoint, draft } of goodRequests(names)) {
        if (endpoint.method !== "GET" || endpoint.caching === "none") continue;
        const path = draft.target;
        const direct = await get(`${service.url}${path}`, STRANGER);
        if (direct.status !== 200 || direct.etag === null) continue;
        tagged++;
        // The first one to ask has the answer already: nothing of it may be left to others.
        const asked = [];
        for (const tag of [direct.etag, undefined, `W/${direct.etag}`, `"other"`, direct.etag, undefined]) {
          asked.push(await get(`${proxy.url}${path}`, tag === undefined ? {} : { "if-none-match": tag }));
        }
        assert.deepEqual(asked.map(({ status }) => status), [304, 200, 304, 200, 304, 200], path);
        for (const { status, body } of asked) assert.equal(body, status === 200 ? direct.body : "", path);
        const [given] = asked.filter(({ status }) => status === 200);
        const again = await get(`${proxy.url}${path}`, { "if-none-match": given!.etag! });
        assert.equal(again.status, 304, `${path} with ${given!.etag}`);
      }
      assert.ok(tagged > 20, `${tagged}`);
    });

    it("sends a part of a file, and the whole file to others", async () => {
      const proxy = await start(file, service.url);
      const { rid, head } = await lookAround(home, service.url);
      const [byName, byCommit] = [`/raw/${rid}/head/README.md`, `/raw/${rid}/${head}/README.md`];
      for (const path of [byName, byCommit]) {
        const whole = await get(`${service.url}${path}`, {});
        // Packed, a text has other ranges.
        const plain = { "accept-encoding": "identity" };
        for (let i = 0; i < 2; i++) {
          const part = await get(`${proxy.url}${path}`, { ...plain, range: "bytes=2-5" });
          assert.deepEqual([part.status, part.body], [206, whole.body.slice(2, 6)], path);
          const { status, body } = await get(`${proxy.url}${path}`, plain);
          assert.deepEqual([status, body], [200, whole.body], path);
        }
      }
    });

    it("has no token of a session in its log, and neither has the service", async () => {
      const logged = await startService("node", home, ["--log", "text"]);
      const proxy = await start(file, logged.url);
      const nodeId = parseNid((await (await fetch(`${logged.url}/api/v1`)).json()).nid);
      const signer = await openSigner({ home, nodeId, fileSystem })();
      const token = await openAuthorized(proxy.url, signer);
      const client = createClient(proxy.url, { token });
      const paths = [
        `/api/v1/sessions/${token}`,
        `/api/v1/sessions/${token}?x=/sessions/`,
        `/api/v1/Sessions/${token}`,
        `//api//v1//sessions/${token}`,
        `/api/v1/sessions/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
        `/session/${token}?pk=${nodeId}&sig=${token}`,
      ];
      const referer = `https://app.example.org/session/${token}?pk=${nodeId}&sig=${token}`;
      const ask = async () => {
        for (const path of paths) {
          await send(proxy.url, "GET", path, { referer, authorization: `Bearer ${token}` });
        }
      };
      await ask();
      await client.signOut();
      await logged.stop();
      // Errors of the proxy itself.
      await ask();
      await send(proxy.url, "GET", "/api/v1/the-last-one", {});
      for (
        const deadline = Date.now() + PATIENCE_MS;
        !proxy.log().includes("/api/v1/the-last-one") && Date.now() < deadline;
      ) {
        await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      }
      await proxy.stop();
      const [ofProxy, ofService] = [proxy.log(), logged.output()];
      assert.ok(ofProxy.match(/\/sessions?\/\*\*\*/gi)!.length >= 2 * paths.length, ofProxy);
      // Without its last letters either.
      const secret = token.slice(1, -1);
      assert.ok(!ofProxy.includes(secret), ofProxy);
      assert.match(ofService, /\/sessions\/:id/);
      assert.ok(!ofService.includes(secret), ofService);
    });
  });
}

describe("deploy/nginx.conf, by its locations", () => {
  it("passes live changes on at once, and nothing else", async () => {
    const requests = goodRequests(NAMES);
    const isLasting = new Map(
      allRoutes({}, allExtensions({ page: true })).map(([, path, , traits]) => [path, traits?.isLasting]),
    );
    const like = requests.find(({ draft }) => draft.target.includes("/tree/"))!;
    const others = ["/tree/HEAD/a/events", "/blob/HEAD/events", "/commits/events", "/a/events"].map((
      path,
    ) => ({
      ...like,
      draft: { ...like.draft, target: `/api/v1/projects/${NAMES.rid}${path}` },
    }));
    const places = await sendForged("nginx.conf", [...requests, ...others]);
    const ofEvents = requests.filter(({ endpoint }) => isLasting.get(endpoint.path));
    assert.ok(ofEvents.length >= 3);
    const names = new Set(ofEvents.map((good) => places.get(good)));
    assert.equal(names.size, 1);
    const wrong = [...places].filter(([good, place]) => names.has(place) && !ofEvents.includes(good));
    assert.deepEqual(wrong.map(([{ draft }]) => draft.target), []);
  });

  it("makes only the readers of a large diff wait for one answer", async () => {
    const READERS = 5;
    const asked = new Map<string, number>();
    const waiting: (() => void)[] = [];
    const upstream = await startUpstream(({ url = "" }, response) => {
      asked.set(url, (asked.get(url) ?? 0) + 1);
      if (url.includes("/diff/")) {
        response.setHeader("cache-control", "public, max-age=604800, immutable").end("diff");
        return;
      }
      response.setHeader("cache-control", "no-cache");
      // Until all of them are here.
      waiting.push(() => response.end("others"));
      if (waiting.length === READERS) waiting.splice(0).forEach((answer) => answer());
    });
    const { url } = await start("nginx.conf", upstream);
    const { rid, head, issue } = NAMES;
    const readTogether = async (path: string) => {
      const startMs = performance.now();
      await Promise.all(Array.from({ length: READERS }, () => get(`${url}${path}`, {})));
      return performance.now() - startMs;
    };
    for (const path of ["/api/v1/projects", `/api/v1/projects/${rid}/commits/${head}`]) {
      const tookMs = await readTogether(path);
      assert.ok(tookMs < UNLOCKED_MS, `${path}: ${tookMs} ms`);
    }
    const diff = `/api/v1/projects/${rid}/diff/${head}/${issue}`;
    await readTogether(diff);
    assert.equal(asked.get(diff), 1);
  });

  it("asks with the tag of a stored answer that is too old, and sends what it has stored", async () => {
    const tags: (string | undefined)[] = [];
    const upstream = await startUpstream(({ headers }, response) => {
      const tag = headers["if-none-match"];
      tags.push(tag);
      response.setHeader("cache-control", "max-age=1").setHeader("etag", `"stored"`);
      response.writeHead(tag === `"stored"` ? 304 : 200).end(tag === `"stored"` ? undefined : "text");
    });
    const { url } = await start("nginx.conf", upstream);
    for (const deadline = Date.now() + PATIENCE_MS; tags.length < 2 && Date.now() < deadline;) {
      const { status, body } = await get(`${url}/`, { "if-none-match": `"older"` });
      assert.deepEqual([status, body], [200, "text"]);
    }
    assert.deepEqual(tags, [`"older"`, `"stored"`]);
    assert.equal((await get(`${url}/`, { "if-none-match": `"stored"` })).status, 304);
    assert.equal(tags.length, 2);
  });
});

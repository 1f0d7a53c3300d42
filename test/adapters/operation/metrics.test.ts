/** Metrics as text, and their own listener. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { Metrics } from "../../../adapters/operation/metrics.ts";
import { watchedCalls } from "../../../adapters/operation/watched_calls.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";
import { makeHome, serve, type Serving } from "../cli/command.ts";

const folder = temporaryFolder("own-metrics");
after(() => removeFolder(folder));

describe("the text of metrics", () => {
  it("has series by method, pattern and status; unknown methods share one", async () => {
    const metrics = new Metrics();
    for (const method of ["GET", "GET", "BREW", "X".repeat(1000)]) {
      metrics.begin();
      metrics.end({ method, pattern: undefined, status: 404, bytes: 10, seconds: 0.02 });
    }
    metrics.fault();
    const text = await metrics.text();
    assert.match(text, /^xylem_requests_total\{method="GET",pattern="none",status="404"\} 2$/m);
    assert.match(text, /^xylem_requests_total\{method="other",pattern="none",status="404"\} 2$/m);
    assert.match(text, /^xylem_sent_bytes_total\{method="GET",pattern="none",status="404"\} 20$/m);
    assert.match(
      text,
      /^xylem_request_seconds_bucket\{le="0.025",method="GET",pattern="none",status="404"\} 2$/m,
    );
    assert.match(text, /^xylem_faults_total 1$/m);
    assert.match(text, /^xylem_requests_under_way 0$/m);
    assert.match(text, /^xylem_ready 0$/m);
    assert.ok(!text.includes("XXX") && text.endsWith("# EOF\n"));
  });

  it("has no figures of parts that a service does not have", async () => {
    const metrics = new Metrics();
    metrics.watch({ unreadiness: () => Promise.resolve(undefined), figures: () => ({}) });
    const text = await metrics.text();
    assert.match(text, /^xylem_ready 1$/m);
    assert.doesNotMatch(text, /^xylem_(?:git|replica|publisher|connections)/m);
  });
});

describe("watched calls", () => {
  it("are the same calls, measured by their outcome", async () => {
    class Store {
      #value = 7;
      get = (key: string) => key === "" ? Promise.reject(new Error("none")) : Promise.resolve(this.#value);
      size(): number {
        if (this.#value === 0) throw new Error("empty");
        return this.#value;
      }
      close(): void {
        this.#value = 0;
      }
    }
    const seen: string[] = [];
    const store = watchedCalls(new Store(), (call, outcome, seconds) => {
      assert.ok(seconds >= 0);
      seen.push(`${call} ${outcome}`);
    });
    assert.equal(await store.get("a"), 7);
    await assert.rejects(store.get(""));
    assert.equal(store.size(), 7);
    store.close();
    assert.throws(() => store.size());
    assert.deepEqual(seen, ["get ok", "get error", "size ok", "size error"]);
  });
});

describe("xylem serve --metrics", () => {
  let serving: Serving;
  let metrics: string;
  before(async () => {
    const home = makeHome(join(folder, "home"));
    const sessions = ["--sessions", join(folder, "sessions.db")];
    serving = await serve([
      ...["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--cache", "none", "--home", home],
      ...sessions,
    ]);
    metrics = /metrics +(http:\S+)\/metrics/.exec(serving.stdout)![1]!;
  });
  after(() => serving.end());
  const get = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      text: await response.text(),
    };
  };

  it("counts requests, not those for its health", async () => {
    for (const path of ["/api/v1/projects", "/api/v1/projects", "/readyz", "/none"]) {
      await get(serving.urls[0] + path);
    }
    await get(`${serving.urls[0]}/api/v1/sessions`, { method: "POST" });
    const { status, type, text } = await get(`${metrics}/metrics`);
    assert.equal(status, 200);
    assert.match(type!, /^application\/openmetrics-text; version=1\.0\.0/);
    assert.match(
      text,
      /^xylem_requests_total\{method="GET",pattern="\/api\/v1\/projects",status="200"\} 2$/m,
    );
    assert.match(text, /^xylem_requests_total\{method="GET",pattern="none",status="404"\} 1$/m);
    assert.match(text, /^xylem_session_store_seconds_count\{call="add",outcome="ok"\} 1$/m);
    assert.match(text, /^xylem_cache_bytes\{cache="identities"\} \d+$/m);
    assert.match(text, /^xylem_connections_limit [1-9]/m);
    assert.doesNotMatch(text, /="\/readyz/);
  });

  it("has a listener of its own, with one path", async () => {
    assert.equal((await get(`${serving.urls[0]}/metrics`)).status, 404);
    assert.equal((await get(`${metrics}/`)).status, 404);
    assert.equal((await get(`${metrics}/api/v1`)).status, 404);
    assert.equal((await get(`${metrics}/metrics`, { method: "POST" })).status, 405);
  });
});

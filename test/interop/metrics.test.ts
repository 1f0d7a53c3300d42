/** Metrics with the real Prometheus, and the alerts and the dashboard of deploy/. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parse, stringify } from "yaml";
import { Metrics } from "../../adapters/operation/metrics.ts";
import { Memory } from "../../src/cache/memory.ts";
import {
  removeFolder,
  ROOT,
  RUNTIMES,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { startOnPort, systemServer } from "../support/servers.ts";

const folder = temporaryFolder("metrics");
after(() => removeFolder(folder));
const RULES = join(ROOT, "deploy", "alerts.yml");
const rules: { alert: string; expr: string; labels: object; annotations: object }[] =
  parse(readFileSync(RULES, "utf8")).groups[0].rules;

/** Time between two questions whether Prometheus has metrics, in milliseconds: it takes them twice a second. */
const POLL_MS = 100;

/** Series by which each alert fires within 20 minutes, of one value a minute: that of `promtool test rules`. */
const FIRING: Readonly<Record<string, readonly (readonly [series: string, values: string])[]>> = {
  XylemDown: [['up{job="xylem",instance="a"}', "0x20"]],
  XylemNotReady: [['xylem_ready{instance="a"}', "0x20"]],
  XylemFaults: [['xylem_faults_total{instance="a"}', "0+1x20"]],
  XylemUnavailable: [
    ['xylem_requests_total{instance="a",status="503"}', "0+6x20"],
    ['xylem_requests_total{instance="a",status="200"}', "0+60x20"],
  ],
  XylemSlow: [
    ['xylem_request_seconds_bucket{instance="a",pattern="/api/v1",le="2.5"}', "0+6x20"],
    ['xylem_request_seconds_bucket{instance="a",pattern="/api/v1",le="5"}', "0+60x20"],
    ['xylem_request_seconds_bucket{instance="a",pattern="/api/v1",le="+Inf"}', "0+60x20"],
  ],
  XylemEventLoopDelayed: [
    ['xylem_event_loop_delay_seconds_bucket{instance="a",le="0.1"}', "0+60x20"],
    ['xylem_event_loop_delay_seconds_bucket{instance="a",le="0.25"}', "0+90x20"],
    ['xylem_event_loop_delay_seconds_bucket{instance="a",le="+Inf"}', "0+90x20"],
  ],
  XylemConnectionsFull: [
    ['xylem_connections{instance="a"}', "95x20"],
    ['xylem_connections_limit{instance="a"}', "100x20"],
  ],
  XylemWorkersBusy: [['xylem_worker_jobs_waiting{instance="a"}', "17x20"]],
  XylemReplicaStale: [['xylem_replica_confirmed_age_seconds{instance="a"}', "121x20"]],
  XylemPublisherSilent: [['xylem_publisher_silent_seconds{instance="a"}', "181x20"]],
  XylemClientsRefused: [['xylem_requests_total{instance="a",status="429"}', "0+120x20"]],
};

/** All names of metrics that a service may have. */
async function namesOfMetrics(): Promise<ReadonlySet<string>> {
  const metrics = new Metrics();
  const cache = new Memory().map("identities", () => 1);
  metrics.watch({
    unreadiness: () => Promise.resolve(undefined),
    figures: () => ({
      connections: { size: 1, limits: { maxConnections: 2, idleMs: 1, headMs: 1, requestMs: 1, takeMs: 1 } },
      answerBytes: 1,
      workers: { running: 1, waiting: 1, ended: 1, seconds: 1 },
      git: { running: 1, waiting: 1 },
      freshness: { publishedAtMs: 1, confirmedAtMs: 1, publisherSeenAtMs: 1 },
    }),
  });
  metrics.begin();
  metrics.end({ method: "GET", pattern: "/api/v1", status: 200, bytes: 1, seconds: 1 });
  for (const place of ["bucket", "session_store"] as const) metrics.callsOf(place)("get", "ok", 1);
  metrics.watchEventLoop()();
  const text = await metrics.text();
  assert.equal(cache.size, 0);
  return new Set(text.match(/^xylem_\w+/gm));
}

describe("deploy/alerts.yml", () => {
  it("is of rules that Prometheus takes", () => {
    execFileSync(systemServer("promtool"), ["check", "rules", RULES], { stdio: "pipe" });
  });

  it("has an alert for each of these series, and no alert for a healthy service", () => {
    assert.deepEqual(rules.map(({ alert }) => alert), Object.keys(FIRING));
    const tests = rules.map(({ alert, labels, annotations }) => {
      const ofSeries = { instance: "a", ...alert === "XylemDown" && { job: "xylem" } };
      const expand = (text: string) => text.replaceAll("{{ $labels.instance }}", "a");
      const told = Object.fromEntries(
        Object.entries(annotations).map(([name, text]) => [name, expand(text)]),
      );
      return {
        interval: "1m",
        input_series: FIRING[alert]!.map(([series, values]) => ({ series, values })),
        alert_rule_test: [{
          eval_time: "20m",
          alertname: alert,
          exp_alerts: [{ exp_labels: { ...ofSeries, ...labels }, exp_annotations: told }],
        }],
      };
    });
    const well = {
      interval: "1m",
      input_series: Object.values(FIRING).flat().map(([series]) => ({
        series,
        values: /up|ready/.test(series) ? "1x20" : "0x20",
      })),
      alert_rule_test: rules.map(({ alert }) => ({ eval_time: "20m", alertname: alert, exp_alerts: [] })),
    };
    const file = join(folder, "tests.yml");
    writeFileSync(file, stringify({ rule_files: [RULES], tests: [...tests, well] }));
    execFileSync(systemServer("promtool"), ["test", "rules", file], { stdio: "pipe" });
  });

  it("and the dashboard name metrics of the service", async () => {
    const names = await namesOfMetrics();
    const texts = [
      rules.map(({ expr }) => expr).join("\n"),
      readFileSync(join(ROOT, "deploy/dashboard.json"), "utf8"),
    ];
    for (const text of texts) {
      const named = text.match(/xylem_\w+/g)!;
      assert.deepEqual([...new Set(named)].filter((name) => !names.has(name)), []);
    }
  });
});

describe("Prometheus", () => {
  for (const runtime of RUNTIMES) {
    it(`takes the metrics of a service on ${runtime}`, async () => {
      const home = unpackHome("browse.tar.gz", folder);
      const service = await startService(runtime, home, ["--metrics", "127.0.0.1:0"]);
      const target = /metrics +http:\/\/(\S+)\/metrics/.exec(service.output())?.[1] ??
        assert.fail(service.output());
      const prometheus = await startOnPort("prometheus", (port) => {
        const config = {
          global: { scrape_interval: "500ms" },
          rule_files: [RULES],
          scrape_configs: [{ job_name: "xylem", static_configs: [{ targets: [target] }] }],
        };
        const file = join(folder, `${runtime}.yml`);
        writeFileSync(file, stringify(config));
        const options = [
          `--config.file=${file}`,
          `--storage.tsdb.path=${join(folder, runtime)}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ];
        return { command: [systemServer("prometheus"), ...options], env: {} };
      });
      try {
        assert.equal((await fetch(`${service.url}/api/v1/projects`)).status, 200);
        const query =
          'xylem_requests_total{pattern="/api/v1/projects",status="200"} and on(instance) up == 1';
        const url = `http://127.0.0.1:${prometheus.port}/api/v1/query?query=${encodeURIComponent(query)}`;
        for (let found = []; found.length === 0;) {
          found = (await (await fetch(url)).json()).data?.result ?? [];
          if (found.length > 0) assert.equal(found[0].value[1], "1");
          else await new Promise((resume) => setTimeout(resume, POLL_MS));
        }
      } finally {
        await prometheus.stop();
        await service.stop();
      }
    });
  }
});

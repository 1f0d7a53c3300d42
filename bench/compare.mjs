#!/usr/bin/env node
// deno-lint-ignore-file no-console no-process-global -- a command: its output is its answer
// Compares two running services of the v1 API, side by side on the same home, one request at a time, in turn A B A B.
//
//   node compare.mjs --b http://127.0.0.1:8081 --plan plan.json [--rid rad:z…] [--samples 60]       chooses the URLs, writes them, ends
//   (restart both services, so that nothing is warm)
//   node compare.mjs --a http://127.0.0.1:8080 [--b http://127.0.0.1:8081] --plan plan.json [--b-samples N] [--json out.json]
//
// A is the service under test, B the one to beat; without B, A is timed alone. For each kind of request it prints the median and the 95th
// percentile of both in milliseconds, for the FIRST time a URL is asked (each sample is another URL) and for a REPEAT of the same URL,
// and the ratio B/A: above 1 means A is faster. Then requests per second with 16 connections, mixed URLs. With --b-samples, B is asked so many
// URLs of each kind only, once each, and no load is measured of it: for repositories that take it minutes.
// --a-root, --b-root (default projects): `repos` asks the newest service's routes on that side. Bodies are read whole. A kind whose status differs between the two is marked and counts as a failure of A.
import { parseArgs } from "node:util";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { HttpConnection } from "./http_connection.ts";

const { values: opt } = parseArgs({
  options: {
    a: { type: "string" },
    b: { type: "string" },
    rid: { type: "string", multiple: true },
    samples: { type: "string", default: "60" },
    "b-samples": { type: "string" },
    seconds: { type: "string", default: "4" },
    json: { type: "string" },
    prefix: { type: "string", default: "/api/v1" },
    plan: { type: "string" },
    "a-root": { type: "string", default: "projects" },
    "b-root": { type: "string", default: "projects" },
  },
});
if (!opt.plan || (existsSync(opt.plan) ? !opt.a : !opt.b)) {
  console.error(
    "usage: compare.mjs --b URL --plan NEW.json, then compare.mjs --a URL [--b URL] --plan NEW.json",
  );
  process.exit(2);
}
const samples = Number(opt.samples);
const samplesOfB = opt.b === undefined ? 0 : Number(opt["b-samples"] ?? Infinity);
const repeats = 3;
/** The service at an origin, asked over one connection. */
function client(origin) {
  const connection = new HttpConnection(origin);
  const root = origin === opt.a ? opt["a-root"] : opt["b-root"];
  return {
    get: (path) =>
      connection.get(opt.prefix + (root === "projects" ? path : path.replace(/^\/projects/, `/${root}`))),
    close: () => connection.close(),
  };
}
const [clientOfA, clientOfB] = [opt.a, opt.b].map((origin) => origin && client(origin));
const json = async (path) => JSON.parse((await clientOfB.get(path)).body.toString());
const sorted = (xs) => [...xs].sort((x, y) => x - y);
const at = (xs, q) => xs.length ? sorted(xs)[Math.min(xs.length - 1, Math.floor(q * xs.length))] : NaN;
// A fixed-seed choice, so that two runs ask the same URLs.
let seed = 12345;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
const pick = (xs, n) => {
  const pool = [...xs], out = [];
  while (pool.length && out.length < n) out.push(pool.splice(Math.floor(random() * pool.length), 1)[0]);
  return out;
};

/** The same path under URLs that differ, in a member of the query that neither service knows: one sample says too little. */
const several = (path) => Array.from({ length: 8 }, (_, i) => `${path}?sample=${i}`);

/** What a request takes that asks for nothing: an unknown path. */
const FLOOR = "floor (an unknown path)";

/** Pages of a history behind those whose diffs a service makes after its start. They are not in the load. */
const OLDER = "history page, older";
const [FIRST_OLDER, OLDER_PAGES] = [10, 10];

async function plan(rid) {
  const p = `/projects/${rid}`;
  const info = await json(p);
  const oidsOf = async (query) => {
    const history = await json(`${p}/commits?${query}`);
    return (Array.isArray(history) ? history : history.commits).map((row) => (row.commit ?? row).id);
  };
  const oids = await oidsOf(`perPage=${Math.max(300, samples * 3)}`);
  const chosen = pick(oids.slice(1), samples);
  const objects = async (kind) =>
    pick((await json(`${p}/${kind}?perPage=1000`)).map(({ id }) => `${p}/${kind}/${id}`), samples);
  const trees = [], blobs = [];
  for (const oid of pick(oids, Math.ceil(samples / 6))) {
    let level = (await json(`${p}/tree/${oid}/`)).entries;
    for (let depth = 0; depth < 4 && level.length; depth++) {
      const dirs = level.filter((e) => e.kind === "tree"), files = level.filter((e) => e.kind === "blob");
      for (const f of pick(files, 3)) {
        blobs.push(`${p}/blob/${oid}/${f.path.split("/").map(encodeURIComponent).join("/")}`);
      }
      if (!dirs.length) break;
      const [dir] = pick(dirs, 1);
      const url = `${p}/tree/${oid}/${dir.path.split("/").map(encodeURIComponent).join("/")}`;
      trees.push(url);
      level = (await json(url)).entries;
    }
  }
  const pageOf = (i) => `${p}/commits?parent=${oids[0]}&page=${i}&perPage=30`;
  const pages = Array.from(
    { length: Math.min(10, Math.floor(oids.length / 30)) },
    (_, i) => pageOf(i),
  );
  const older = [];
  for (let i = FIRST_OLDER; i < FIRST_OLDER + OLDER_PAGES; i++) {
    if ((await oidsOf(`parent=${oids[0]}&page=${i}&perPage=30`)).length === 30) older.push(pageOf(i));
  }
  return {
    [FLOOR]: several("/nothing"),
    "project": several(p),
    "projects list": ["/projects?perPage=10", "/projects?show=all"],
    "history page of 30": pages,
    [OLDER]: older,
    "history, old parent": pick(oids, 12).map((o) => `${p}/commits?parent=${o}&perPage=30`),
    "commit": chosen.map((o) => `${p}/commits/${o}`),
    "diff of neighbours": pick(oids.slice(1).map((o, i) => `${p}/diff/${o}/${oids[i]}`), samples),
    "diff over 20 commits": pick(
      oids.slice(20).map((o, i) => `${p}/diff/${o}/${oids[i]}`),
      Math.ceil(samples / 4),
    ),
    "tree root": pick(oids, samples).map((o) => `${p}/tree/${o}/`),
    "tree below": pick(trees, samples),
    "blob": pick(blobs, samples),
    "readme": pick(oids, Math.ceil(samples / 2)).map((o) => `${p}/readme/${o}`),
    "activity": several(`${p}/activity`),
    "remotes": several(`${p}/remotes`),
    "issues": [...several(`${p}/issues`), `${p}/issues?state=closed`],
    "issue": await objects("issues"),
    "patches": [...several(`${p}/patches`), `${p}/patches?state=merged`],
    "patch": await objects("patches"),
    _head: info.head,
  };
}

const result = { first: {}, repeat: {}, load: {} };
if (!existsSync(opt.plan)) {
  const rids = opt.rid ?? (await json("/projects?perPage=50&show=all")).map((x) => x.id), plans = {};
  for (const rid of rids) plans[rid] = await plan(rid);
  writeFileSync(opt.plan, JSON.stringify(plans, null, 1));
  console.log(`${rids.length} repositories planned in ${opt.plan}: restart both services, then run with --a`);
  clientOfB.close();
  process.exit(0);
}
// This program has to be compiled, too, and the ways of a request through both services: what is compared are answers.
for (let i = 0; i < 300; i++) {
  await clientOfA.get("/");
  if (samplesOfB > 0) await clientOfB.get("/");
}
for (const [rid, kinds] of Object.entries(JSON.parse(readFileSync(opt.plan, "utf8")))) {
  console.log(`\n${rid} head ${kinds._head}`);
  console.log(
    "kind".padEnd(22),
    "n".padStart(4),
    "first: A p50".padStart(13),
    "B p50".padStart(9),
    "B/A".padStart(7),
    "A p95".padStart(9),
    "B p95".padStart(9),
    "B/A".padStart(7),
    " repeat: A".padStart(11),
    "B".padStart(9),
    "B/A".padStart(7),
  );
  for (const [kind, urls] of Object.entries(kinds)) {
    if (kind.startsWith("_") || !urls.length) continue;
    const a = [], b = [], ra = [], rb = [];
    let differ = 0, failed = 0, statusOfB = 0;
    const askB = async (url) => {
      const answer = await clientOfB.get(url);
      statusOfB = answer.status;
      b.push(answer.ms);
    };
    for (const url of urls) {
      const withB = a.length < samplesOfB;
      if (withB && a.length % 2 === 0) await askB(url);
      const x = await clientOfA.get(url);
      if (withB && a.length % 2 === 1) await askB(url);
      if (withB && x.status !== statusOfB) differ++;
      if (x.status >= 400 && kind !== FLOOR) failed++;
      a.push(x.ms);
      for (let i = 0; i < repeats; i++) {
        ra.push((await clientOfA.get(url)).ms);
        if (withB && samplesOfB === Infinity) rb.push((await clientOfB.get(url)).ms);
      }
    }
    const row = {
      n: urls.length,
      a50: at(a, .5),
      b50: at(b, .5),
      a95: at(a, .95),
      b95: at(b, .95),
      ra: at(ra, .5),
      ra95: at(ra, .95),
      rb: at(rb, .5),
      differ,
      failed,
    };
    (result.first[rid] ??= {})[kind] = row;
    const f = (x, w = 9) => x.toFixed(2).padStart(w);
    console.log(
      kind.padEnd(22),
      String(row.n).padStart(4),
      f(row.a50, 13),
      f(row.b50),
      f(row.b50 / row.a50, 7),
      f(row.a95),
      f(row.b95),
      f(row.b95 / row.a95, 7),
      f(row.ra, 11),
      f(row.rb),
      f(row.rb / row.ra, 7),
      differ ? `  ${differ} statuses differ` : "",
      failed ? `  ${failed} failed` : "",
    );
  }
  const mixed = pick(
    Object.entries(kinds).filter(([k]) => !k.startsWith("_") && k !== FLOOR && k !== OLDER).flatMap(([, u]) =>
      u
    ),
    400,
  );
  for (const [name, base] of [["A", opt.a], ...(samplesOfB === Infinity ? [["B", opt.b]] : [])]) {
    const until = Date.now() + Number(opt.seconds) * 1000;
    let done = 0, next = 0;
    const times = [];
    await Promise.all(Array.from({ length: 16 }, async () => {
      const connection = client(base);
      while (Date.now() < until) {
        const r = await connection.get(mixed[next++ % mixed.length]);
        times.push(r.ms);
        done++;
      }
      connection.close();
    }));
    (result.load[rid] ??= {})[name] = {
      perSecond: done / Number(opt.seconds),
      p50: at(times, .5),
      p99: at(times, .99),
    };
    console.log(
      `load 16 connections, mixed URLs: ${name} ${(done / Number(opt.seconds)).toFixed(0)} requests/s, p50 ${
        at(times, .5).toFixed(1)
      } ms, p99 ${at(times, .99).toFixed(1)} ms`,
    );
  }
}
if (opt.json) writeFileSync(opt.json, JSON.stringify(result, null, 1));
for (const service of [clientOfA, clientOfB]) service?.close();

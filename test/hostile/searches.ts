/** A client that floods a service with searches in hard texts, while another one searches, too. */
import { Agent } from "node:http";
import { join } from "node:path";
import { MAX_QUERY_MS } from "../../extensions/search/query.ts";
import { MAX_WAIT_MS } from "../../extensions/search/part_updates.ts";
import { removeFolder, type Runtime, startWarmService, temporaryFolder } from "../support/programs.ts";
import { makeHostileHome } from "./home.ts";
import { ENVIRONMENT } from "./limits.ts";
import { faultyLines } from "./requests/oracle.ts";
import { ask, FIELD, flood, type SharesRun } from "./shares.ts";
import { hardTexts } from "./texts.ts";

/** Shares are no bound here: the turns of searches are. */
const ARGS = ["--share", "1000", "--behind-proxy", "--client-address-header", FIELD];
const REQUESTS = 96;
/** Searches of the other client meanwhile. */
const OTHERS = 4;
/** Longest time of one of them: that of two queries, and of a wait for changes. */
const MAX_OTHER_MS = 2 * MAX_QUERY_MS + MAX_WAIT_MS;
/** Runs on one runtime until the other client does not wait: a busy machine makes it wait, too. */
const ATTEMPTS = 3;

/** Floods a service on each runtime; how many of these passed and failed. */
export async function runSearches(
  { runtimes, print }: SharesRun,
): Promise<{ passed: number; failed: number }> {
  const folder = temporaryFolder("hostile-searches");
  let failed = 0;
  try {
    const { home, repositories } = await makeHostileHome(join(folder, "home"), [hardTexts.name]);
    const paths = repositories.flatMap(({ paths }) =>
      paths.map((path) => path.slice(path.indexOf("/search")))
    );
    for (const runtime of runtimes) {
      let faults: readonly string[] = [];
      for (let i = 0; i < ATTEMPTS; i++) {
        faults = await attack(runtime, home, paths, print);
        if (faults.length === 0) break;
      }
      for (const fault of faults) print(`  ✖ ${runtime}: ${fault}`);
      if (faults.length > 0) failed++;
    }
  } finally {
    removeFolder(folder);
  }
  return { passed: runtimes.length - failed, failed };
}

async function attack(
  runtime: Runtime,
  home: string,
  paths: readonly string[],
  print: SharesRun["print"],
): Promise<readonly string[]> {
  const service = await startWarmService(runtime, home, ARGS, ENVIRONMENT[runtime]);
  const api = `${service.url}/api/v1`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const search = () => ask(agent, `${api}/search?q=winter`, ["203.0.113.9"]);
  const faults: string[] = [];
  print(`\n${runtime}: searches`);
  // The first ones wait for the index to be made.
  await search();
  await search();
  for (const path of paths) {
    let isOver = false;
    const flooding = flood(api + path, REQUESTS, () => ["192.0.2.1"]).finally(() => isOver = true);
    let slowestMs = 0;
    for (let i = 0; i < OTHERS && !isOver; i++) {
      const startMs = performance.now();
      const status = await search();
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      if (status !== "200") faults.push(`${path}: another client got ${status}`);
    }
    const counts = [...await flooding];
    print(
      `  ${decodeURIComponent(path)}: ${JSON.stringify(counts)}; another one took ${slowestMs.toFixed(0)} ms`,
    );
    if (slowestMs > MAX_OTHER_MS) faults.push(`${path}: another client waited ${slowestMs.toFixed(0)} ms`);
    if (counts.some(([answer]) => !["200", "503"].includes(answer))) {
      faults.push(`${path}: ${JSON.stringify(counts)}`);
    }
  }
  agent.destroy();
  const status = await service.stop();
  if (status !== 0) faults.push(`ended with ${status}`);
  faults.push(...faultyLines(service.output()));
  return faults;
}

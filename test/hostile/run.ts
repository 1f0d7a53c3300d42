/**
 * `npm run hostile [-- --runtime NAME]… [-- --only PART]…`: serves a home of hostile repositories on all
 * runtimes, and measures the effect on other clients. Then it sends hostile requests, and damages files of our
 * own. `--only repositories` serves the repositories alone. `--only requests` sends the requests alone,
 * `--requests N` so many of them, with `--seed N` others; `--replay SEED:NUMBER` sends one again.
 * `--only shares` has clients ask for more than their share, `--only limits` for more than one client may
 * have, `--only searches` has one flood searches. `--only own-files` damages the files alone,
 * `--cases N` so many on each runtime.
 * `--prepare` only makes the hostile home, which is kept. See README.md.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { RUNTIMES } from "../support/programs.ts";
import { cachedHostileHome } from "./cached_home.ts";
import { runClientLimits } from "./client_limits.ts";
import { runOwnFiles } from "./own_files/run.ts";
import { runRepositories } from "./repositories.ts";
import { runRequests } from "./requests/run.ts";
import { runSearches } from "./searches.ts";
import { runShares } from "./shares.ts";

/**
 * Requests to all runtimes together, damaged files on each runtime, and the seed of both, unless the command
 * line says otherwise.
 */
const [REQUESTS, CASES, SEED] = [3000, process.env["XYLEM_TEST_ALL"] ? 100 : 66, 11];
/** Names of all repositories, and of the other parts, among what `--only` selects. */
const PARTS = ["repositories", "requests", "shares", "limits", "searches", "own-files"] as const;
const [REPOSITORIES_NAME, REQUESTS_NAME, SHARES_NAME, LIMITS_NAME, SEARCHES_NAME, OWN_FILES_NAME] = PARTS;

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    only: { type: "string", multiple: true, default: [] },
    requests: { type: "string" },
    cases: { type: "string" },
    seed: { type: "string", default: String(SEED) },
    replay: { type: "string" },
    prepare: { type: "boolean", default: false },
  },
});
if (values.prepare) {
  await cachedHostileHome();
  process.exit();
}
const print = (line: string) => void process.stdout.write(`${line}\n`);
const runtimes = RUNTIMES.filter((runtime) => values.runtime.includes(runtime));
const namesRequests = values.requests !== undefined || values.replay !== undefined;
const namesOwnFiles = values.cases !== undefined;
const only = values.only.filter((part) => !PARTS.some((name) => name === part));
const isAll = !namesRequests && !namesOwnFiles && values.only.length === 0;
const hasRepositories = isAll || values.only.includes(REPOSITORIES_NAME) ||
  !namesRequests && !namesOwnFiles && only.length > 0;
const hasRequests = isAll || namesRequests || values.only.includes(REQUESTS_NAME);
const hasShares = isAll || values.only.includes(SHARES_NAME);
const hasLimits = isAll || values.only.includes(LIMITS_NAME);
const hasSearches = isAll || values.only.includes(SEARCHES_NAME);
const hasOwnFiles = isAll || namesOwnFiles || values.only.includes(OWN_FILES_NAME);
let [passed, failed] = [0, 0];
if (hasRepositories) add(await runRepositories({ runtimes, only, print }));
if (hasRequests) {
  const [seed = SEED, first] = (values.replay ?? values.seed).split(":").map(Number);
  const all = Number(values.requests ?? REQUESTS);
  const count = first === undefined ? Math.ceil(all / runtimes.length) : 1;
  add(await runRequests({ runtimes, seed, first: first ?? 0, count, isReplay: first !== undefined, print }));
}
if (hasShares) add(await runShares({ runtimes, print }));
if (hasLimits) add(await runClientLimits({ runtimes, print }));
if (hasSearches) add(await runSearches({ runtimes, print }));
if (hasOwnFiles) {
  const [seed = SEED, first = 0] = values.seed.split(":").map(Number);
  add(await runOwnFiles({ runtimes, seed, first, count: Number(values.cases ?? CASES), print }));
}
print(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function add(counts: { readonly passed: number; readonly failed: number }): void {
  passed += counts.passed;
  failed += counts.failed;
}

/**
 * Compares the answers of another service on a home with ours: `node test/compare/run.ts URL --home DIR`. The
 * other service is a `radicle-httpd` of any release, or another Xylem. Nothing is written to the home.
 *
 * The exit status is 0 when all answers are equal or differ as documented, 1 when some differ otherwise, and 2
 * when one of the services cannot be asked.
 */
import process from "node:process";
import {
  optionsText,
  type OptionTable,
  parseArguments,
  present,
  UsageError,
  type Values,
} from "../../adapters/cli/command_line.ts";
import { findCommit } from "../../adapters/cli/commit.ts";
import { findHome } from "../../adapters/cli/home.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS } from "../../adapters/cli/options.ts";
import { Progress } from "../../adapters/cli/progress.ts";
import { numberOf } from "../../adapters/cli/values.ts";
import { createHomeApi } from "../../adapters/node/mod.ts";
import { askWithin } from "./answers.ts";
import { CannotAskError, compareServices, meet } from "./comparison.ts";
import { ANSWER_SECONDS, DEFAULT_REQUESTS, MAX_COMPARED_BYTES } from "./limits.ts";
import { reportText, totalOf } from "./report.ts";

const OPTIONS = {
  home: PUBLISH_OPTIONS.home,
  api: SERVE_OPTIONS.api,
  evaluation: SERVE_OPTIONS.evaluation,
  answers: SERVE_OPTIONS.answers,
  requests: {
    value: "N",
    meaning: `Most requests to each of the two services. Default ${DEFAULT_REQUESTS}`,
    read: numberOf("requests", /^[1-9]\d{0,4}$/, "a number from 1 to 99999"),
  },
  seconds: {
    value: "N",
    meaning: `Longest time for an answer. Default ${ANSWER_SECONDS}`,
    read: numberOf("seconds", /^[1-9]\d{0,3}$/, "a number from 1 to 9999"),
  },
  help: { short: "h", meaning: "Print this text" },
} as const satisfies OptionTable;

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`compare: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function main(args: readonly string[]): Promise<void> {
  const given = parseArguments(OPTIONS, args);
  if (given.has("help")) {
    process.stdout.write(`Usage: node test/compare/run.ts URL [options]\n\n${optionsText(OPTIONS)}`);
    return;
  }
  const [url, ...more] = given.positionals;
  const base = url === undefined || more.length > 0 ? undefined : serviceUrl(url);
  if (base === undefined) {
    throw new UsageError("Expected one URL such as http://127.0.0.1:8080, without a password");
  }
  try {
    await compare(base, given.read());
  } catch (error) {
    if (error instanceof CannotAskError) error.message = `Cannot ask ${base}: ${error.message}`;
    throw error;
  }
}

/**
 * The URL of a service without a slash at the end; `undefined` for a URL that cannot be one. A password is
 * refused because `fetch` would not send it.
 */
function serviceUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return undefined;
  return url.href.replace(/\/+$/, "");
}

/** Opens the home, asks both services, and prints the report. */
async function compare(base: string, values: Values<typeof OPTIONS>): Promise<void> {
  const { api, evaluation, answers, requests = DEFAULT_REQUESTS, seconds = ANSWER_SECONDS } = values;
  const home = findHome(values);
  const limits = { maxBytes: MAX_COMPARED_BYTES, seconds };
  // Another Xylem on this home would take a client of this machine for its owner.
  const headers = { accept: "application/json", forwarded: "for=unknown" };
  const askThem = askWithin(
    base,
    (url, signal) => fetch(url, { headers, signal, redirect: "manual" }),
    limits,
  );
  const other = await meet(askThem);
  const dialects = other.dialects.filter((dialect) => api === undefined || api === "both" || api === dialect);
  if (dialects.length === 0) throw new CannotAskError(`it does not answer the routes of --api ${api}`);
  const progress = new Progress();
  const own = await createHomeApi({
    home,
    behindProxy: true,
    environment: { log: progress.log },
    user: () => process.env["USER"],
    nodeSocket: () => process.env["RAD_SOCKET"],
    compatibility: present({ evaluation, answers }),
    ...present({ api, commit: await findCommit() }),
  });
  try {
    const askUs = askWithin(
      "http://localhost",
      (url, signal) => own.api.fetch(new Request(url, { headers, signal })),
      limits,
    );
    const { counts, stopped } = await compareServices(askThem, askUs, {
      dialects,
      requests,
      onQuestion: ({ path }, asked) => progress.report(`  ${asked} of at most ${requests}: ${path}`),
    });
    progress.clear();
    // The status counts even when nobody reads the report to its end.
    process.stdout.on("error", () => {});
    process.stdout.write(reportText(base, other, counts));
    if (stopped !== undefined) throw new CannotAskError(`it stopped answering: ${stopped}`);
    if (totalOf(counts).unexplained > 0) process.exitCode = 1;
  } finally {
    progress.clear();
    await own.close();
  }
}

/** `xylem check --beside URL`: compares the answers of another service on the same home with ours. */
import process from "node:process";
import { assembleHomeApi } from "../home/home.ts";
import { askWithin } from "./beside/answers.ts";
import { CannotAskError, compareServices, meet } from "./beside/comparison.ts";
import { ANSWER_SECONDS, DEFAULT_REQUESTS, MAX_COMPARED_BYTES } from "./beside/limits.ts";
import { reportText, totalOf } from "./beside/report.ts";
import { present } from "./command_line.ts";
import { findCommit } from "./commit.ts";
import { makeDemo } from "./demo.ts";
import { findHome } from "./home.ts";
import type { CheckCommand } from "./parse_command.ts";
import { checkPermissions } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { readVariable } from "./variables.ts";

/**
 * Compares, and prints the report. The exit status is 1 when something differs that no document explains.
 *
 * @throws {CannotAskError} when one of the services cannot be asked.
 */
export async function besideCommand(command: CheckCommand): Promise<void> {
  try {
    await compare(command);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CannotAskError(
      error instanceof CannotAskError ? `Cannot ask ${command.beside}: ${message}` : message,
    );
  }
}

/** Opens the home, asks both services, and prints. Nothing is written to the home. */
async function compare(command: CheckCommand): Promise<void> {
  const { beside: base, api, requests = DEFAULT_REQUESTS, seconds = ANSWER_SECONDS } = command;
  const limits = { maxBytes: MAX_COMPARED_BYTES, seconds };
  const progress = new Progress();
  if (command.demo) await makeDemo(progress);
  const home = findHome(command);
  await checkPermissions({ home, listen: [], connect: base, serves: false });
  // Another xylem beside this home would show its owner what is private.
  const headers = { accept: "application/json", forwarded: "for=unknown" };
  const theirs = askWithin(
    base,
    (url, signal) => fetch(url, { headers, signal, redirect: "manual" }),
    limits,
  );
  const other = await meet(theirs);
  const { homeParts } = await loadAdapter();
  const own = await assembleHomeApi({
    home,
    behindProxy: true,
    environment: { log: progress.log },
    user: () => readVariable("USER"),
    nodeSocket: () => readVariable("RAD_SOCKET"),
    ...present({
      api,
      commit: await findCommit(),
      evaluation: command.evaluation,
      answers: command.answers,
    }),
  }, homeParts);
  try {
    const ours = askWithin(
      "http://localhost",
      (url, signal) => own.api.fetch(new Request(url, { headers, signal })),
      limits,
    );
    const dialects = other.dialects.filter((dialect) =>
      api === undefined || api === "both" || api === dialect
    );
    if (dialects.length === 0) throw new CannotAskError(`it does not answer the routes of --api ${api}`);
    const { counts, stopped } = await compareServices(theirs, ours, {
      dialects,
      requests,
      onQuestion: ({ path }, asked) => progress.tell(`  ${asked} of at most ${requests}: ${path}`),
    });
    progress.clear();
    // When nobody reads the report to its end, the status still counts.
    process.stdout.on("error", () => {});
    process.stdout.write(reportText(base, other, counts));
    if (stopped !== undefined) throw new CannotAskError(`it stopped answering: ${stopped}`);
    if (totalOf(counts).unexplained > 0) process.exitCode = 1;
  } finally {
    progress.clear();
    await own.close();
  }
}

/**
 * Runs `xylem publish`, which copies the public repositories of a home into a bucket. Standard output has one
 * line for each result, as text on a terminal and otherwise as JSON.
 */
import process from "node:process";
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type BucketAddress, BucketError } from "../../extensions/replicas/bucket/mod.ts";
import type { PublicationResult } from "../../extensions/replicas/publisher/published_home.ts";
import type { RoundSummary } from "../../extensions/replicas/publisher/publisher.ts";
import { openHomePublisher } from "../home/publish_home.ts";
import { createVerifyClone } from "../home/verify_clone.ts";
import { findHome, openNamedBucket } from "./home.ts";
import { present } from "./command_line.ts";
import { makeDemo } from "./demo.ts";
import type { PublishCommand } from "./parse_command.ts";
import { checkPermissions } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { cachePathOf } from "./service.ts";
import { readVariable } from "./variables.ts";
import { checkBucket } from "../../extensions/replicas/publisher/bucket_check.ts";
import { createUnpack } from "../../src/git/unpack.ts";
import type { HomeParts } from "../home/parts.ts";

/**
 * Interval between two lines about the progress of one long publication, in milliseconds, when standard error
 * is not a terminal.
 */
const UNATTENDED_PUBLISHER_MS = 10_000;

/**
 * Publishes once. With `--watch`, publishes whenever repositories change, until SIGTERM or SIGINT.
 *
 * @throws {Error} with a message for the operator when there is no home, the bucket cannot be used, or a
 * repository could not be published.
 */
export async function publishCommand(command: PublishCommand): Promise<void> {
  if (command.check) {
    const { makesIn, ...needs } = needsOf(command.bucket);
    await checkPermissions({ listen: [], serves: false, ...makesIn && { folder: makesIn }, ...needs });
    const { homeParts } = await loadAdapter();
    return await checkCommand(command, homeParts, endOn(["SIGTERM", "SIGINT"]));
  }
  const progress = new Progress(process.stderr, undefined, UNATTENDED_PUBLISHER_MS);
  if (command.demo) await makeDemo();
  const home = findHome(command);
  const { homeParts, usualCachePath } = await loadAdapter();
  const cachePath = cachePathOf(command, usualCachePath);
  await checkPermissions({
    ...{ home, listen: [], serves: false, runs: "git" },
    ...needsOf(command.bucket),
    ...present({ worksIn: cachePath ?? homeParts.temporaryPath?.() }),
  });
  checkParent(command.bucket);
  const bucket = openNamedBucket(command.bucket, homeParts);
  const opened = await openHomePublisher({
    home,
    bucket,
    environment: { log: progress.log, progress: progress.report },
    user: () => readVariable("USER"),
    nodeSocket: () => readVariable("RAD_SOCKET"),
    onPublication: (publication) => reportPublication(progress, publication),
    ...present({
      evaluation: command.evaluation,
      cachePath,
      graceMs: command.grace === undefined ? undefined : 1000 * command.grace,
    }),
  }, homeParts);
  const ending = endOn(["SIGTERM", "SIGINT"]);
  // The work continues even if no process reads the output any more.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    if (command.watch) await opened.publisher.watch(ending, (summary) => reportRound(progress, summary));
    else {
      const summary = await opened.publisher.publishAll(ending);
      reportRound(progress, summary);
      if (summary.failed > 0) {
        throw new Error(
          `${summary.failed} repositories could not be published; the log above has the reasons`,
        );
      }
    }
  } catch (error) {
    if (ending.aborted) throw new Error("A signal ended the publication; run it again to continue");
    throw error instanceof BucketError ? new Error(`Cannot publish: ${error.message}`) : error;
  } finally {
    progress.clear();
    await opened.close();
  }
}

/** Prints a line to standard output, as text on a terminal and otherwise as JSON. */
function print(progress: Progress, text: string, { change: _, ...line }: Record<string, unknown>): void {
  progress.clear();
  const time = new Date().toISOString();
  process.stdout.write(`${process.stdout.isTTY === true ? text : JSON.stringify({ time, ...line })}\n`);
}

function reportPublication(progress: Progress, publication: PublicationResult): void {
  const { rid, change } = publication;
  const { objects = 0, sentBytes = 0 } = change === "published" ? publication : {};
  const text = change === "published"
    ? `${rid}  ${objects} objects, ${formatBytes(sentBytes)}`
    : change === "removed"
    ? `${rid}  removed`
    : `${rid}  could not be published`;
  print(progress, text, { event: change, ...publication, listing: undefined });
}

function reportRound(progress: Progress, summary: RoundSummary): void {
  const { repositories, published, removed, failed, sentBytes } = summary;
  const parts = [
    `${repositories} repositories`,
    `${published} published`,
    ...removed > 0 ? [`${removed} removed`] : [],
    ...failed > 0 ? [`${failed} failed`] : [],
    `${formatBytes(sentBytes)} sent`,
  ];
  print(progress, parts.join(", "), { event: "round", ...summary });
}

const KIB = 1024;

function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/**
 * Returns a signal that is aborted by the first of the given operating system signals. A second operating
 * system signal ends the process at once.
 */
function endOn(signals: readonly NodeJS.Signals[]): AbortSignal {
  const ending = new AbortController();
  for (const signal of signals) process.once(signal, () => ending.abort());
  return ending.signal;
}

/**
 * Checks that the parent of a bucket's folder exists. The publisher makes only the folder itself, because a
 * missing parent may mean that the path is mistyped.
 */
function checkParent(bucket: BucketAddress): void {
  if (bucket.kind !== "folder") return;
  const parent = dirname(resolve(bucket.path));
  try {
    statSync(parent);
  } catch (error) {
    // Without Deno's permission to read the parent, the publisher fails later with the reason.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
    throw new Error(`Cannot publish: the folder ${parent} does not exist; create it first`);
  }
}

function needsOf(bucket: BucketAddress): { readonly makesIn?: string; readonly connect?: string } {
  if (bucket.kind === "folder") return { makesIn: resolve(bucket.path) };
  const endpoint = readVariable("AWS_ENDPOINT_URL_S3") || readVariable("AWS_ENDPOINT_URL");
  return endpoint !== undefined && URL.canParse(endpoint) ? { connect: endpoint } : {};
}

/**
 * Verifies a bucket. Prints a line of JSON for each damaged or missing object, and a summary at the end.
 *
 * @throws {Error} with a message for the operator when an object is damaged or missing, or the bucket cannot
 * be read.
 */
export async function checkCommand(
  { bucket: address }: PublishCommand,
  parts: HomeParts,
  signal: AbortSignal,
): Promise<void> {
  const print = (event: string, line: object) =>
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...line })}\n`);
  try {
    const bucket = openNamedBucket(address, parts);
    const unpack = createUnpack(parts.inflate);
    const verifyClone = createVerifyClone(bucket, parts);
    const report = await checkBucket(
      { bucket, unpack, verifyClone, signal },
      (damage) => print("damage", damage),
    );
    print("checked", report);
    if (report.damaged > 0) throw new Error(`${report.damaged} objects of the bucket are damaged or missing`);
  } catch (error) {
    if (signal.aborted) throw new Error("A signal ended the check");
    throw error instanceof BucketError ? new Error(`Cannot check: ${error.message}`) : error;
  }
}

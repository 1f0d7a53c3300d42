/**
 * `xylem publish`: copies the public repositories of a home into a bucket, once or whenever they change. It
 * writes lines about its work: for people on a terminal, as JSON elsewhere.
 */
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import {
  BUCKET_VARIABLES,
  type BucketAddress,
  BucketError,
  type BucketVariables,
  openBucket,
} from "../../src/bucket/mod.ts";
import type { FailedPublication, RoundSummary } from "../../src/publish/publisher.ts";
import type { Publication } from "../../src/publish/repository_publication.ts";
import { openHomePublisher } from "../home/publish_home.ts";
import { demoHomePath, findDemoHome } from "./demo.ts";
import type { PublishCommand } from "./parse_command.ts";
import { checkDemoPermissions, checkPermissions } from "./permissions.ts";
import { Progress } from "./progress.ts";
import { loadAdapter } from "./runtime.ts";
import { readVariable, usualHome } from "./variables.ts";

/** Time between two lines about a long repository on standard error, without a terminal, in milliseconds. */
const UNATTENDED_PUBLISHER_MS = 10_000;

/**
 * Publishes once, or until SIGTERM or SIGINT comes.
 *
 * @throws {Error} with a message for the operator when there is no home, the bucket cannot be used, or a
 *   repository could not be published.
 */
export async function publishCommand(command: PublishCommand): Promise<void> {
  const progress = new Progress(process.stderr, undefined, UNATTENDED_PUBLISHER_MS);
  const home = await findHome(command, progress);
  await checkPermissions({ home, listen: [], serves: false, ...needsOf(command.bucket) });
  checkParent(command.bucket);
  const { homeParts, usualCachePath } = await loadAdapter();
  const cachePath = command.cache === "none" ? undefined : command.cache ?? usualCachePath();
  const bucket = openBucket(command.bucket, {
    variables: readVariables(),
    fileSystem: homeParts.createFileSystem(),
    absolutePath: (path) => resolve(path),
  });
  const report = new Report(progress);
  const opened = await openHomePublisher({
    home,
    bucket,
    environment: { log: progress.log, progress: progress.tell },
    user: () => readVariable("USER"),
    nodeSocket: () => readVariable("RAD_SOCKET"),
    evaluation: command.evaluation,
    onPublication: report.publication,
    ...(cachePath !== undefined && { cachePath: resolve(cachePath) }),
    ...(command.graceSeconds !== undefined && { graceMs: 1000 * command.graceSeconds }),
  }, homeParts);
  const ending = endOn(["SIGTERM", "SIGINT"]);
  // When nobody reads the lines any more, the work goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    if (command.watch) await opened.publisher.watch(ending, report.round);
    else {
      const summary = await opened.publisher.publishAll(ending);
      report.round(summary);
      if (summary.failed > 0) throw new Error(`${summary.failed} repositories could not be published`);
    }
  } catch (error) {
    if (ending.aborted) throw new Error("The publication was ended by a signal; the next one goes on");
    throw error instanceof BucketError ? new Error(`Cannot publish: ${error.message}`) : error;
  } finally {
    progress.clear();
    await opened.close();
  }
}

/** Tells of publications on standard output. */
class Report {
  readonly #progress: Progress;
  readonly #isForPeople: boolean = process.stdout.isTTY === true;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  readonly publication = (publication: Publication | FailedPublication): void => {
    const { rid, change } = publication;
    const { objects = 0, sentBytes = 0 } = change === "published" ? publication : {};
    const text = change === "published"
      ? `${rid}  ${objects} objects, ${formatBytes(sentBytes)}`
      : change === "removed"
      ? `${rid}  removed`
      : `${rid}  could not be published`;
    this.#write(text, { event: change, ...publication, listing: undefined });
  };

  readonly round = (summary: RoundSummary): void => {
    const { repositories, published, removed, failed, sentBytes } = summary;
    const parts = [
      `${repositories} repositories`,
      `${published} published`,
      ...removed > 0 ? [`${removed} removed`] : [],
      ...failed > 0 ? [`${failed} failed`] : [],
      `${formatBytes(sentBytes)} sent`,
    ];
    this.#write(parts.join(", "), { event: "round", ...summary });
  };

  #write(text: string, { change: _, ...line }: Record<string, unknown>): void {
    this.#progress.clear();
    const time = new Date().toISOString();
    process.stdout.write(`${this.#isForPeople ? text : JSON.stringify({ time, ...line })}\n`);
  }
}

const KIB = 1024;

function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/** Aborts on the first signal; a second one ends the process at once, as it does without a handler. */
function endOn(signals: readonly NodeJS.Signals[]): AbortSignal {
  const ending = new AbortController();
  for (const signal of signals) process.once(signal, () => ending.abort());
  return ending.signal;
}

function readVariables(): BucketVariables {
  return Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, readVariable(name)]));
}

/** The folder of a bucket is made, the one that it is in is not: its path may be mistyped. */
function checkParent(bucket: BucketAddress): void {
  if (bucket.kind !== "folder") return;
  const parent = dirname(resolve(bucket.path));
  try {
    statSync(parent);
  } catch (error) {
    // Deno may not be permitted to look: then the publisher finds out.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
    throw new Error(`Cannot publish: the folder ${parent} does not exist; create it first`);
  }
}

/** Permissions that a bucket needs. */
function needsOf(bucket: BucketAddress): { readonly makesIn?: string; readonly connect?: string } {
  if (bucket.kind === "folder") return { makesIn: resolve(bucket.path) };
  const endpoint = readVariable("AWS_ENDPOINT_URL_S3") || readVariable("AWS_ENDPOINT_URL");
  return endpoint !== undefined && URL.canParse(endpoint) ? { connect: endpoint } : {};
}

/** The absolute path of the home that was named, else of the usual one. */
async function findHome({ home, demo }: PublishCommand, progress: Progress): Promise<string> {
  if (demo) {
    await checkDemoPermissions();
    await findDemoHome((step) => progress.tell(`  making ${step}`));
    progress.tell(undefined);
  }
  const found = demo ? demoHomePath() : home ?? usualHome();
  if (found === undefined) throw new Error("No Radicle home was named: use --home DIR, RAD_HOME or --demo");
  return resolve(found);
}

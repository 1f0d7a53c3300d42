/** The recorded reads, sent to `xylem serve --bucket` as a process, and to a service beside the home. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createHomeApi, deflate, fileSystem } from "../../adapters/node/mod.ts";
import { createFolderBucket } from "../../extensions/replicas/bucket/folder.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import { createTestPublisher } from "../extensions/replicas/publisher/test_publisher.ts";
import { type PublishedHome, publishedReads } from "../replay/published_reads.ts";
import type { RecordedRequest } from "../replay/recordings.ts";
import { type Client, openClient } from "../replay/send.ts";
import {
  folderOnDisk,
  removeFolder,
  RUNTIMES,
  type Service,
  startBucketService,
  startService,
  unpackHome,
} from "../support/programs.ts";
import { type S3Server, startGarage, startVersitygw } from "../support/servers.ts";

/** Kinds of buckets. */
export type BucketKind = "a folder" | keyof typeof STARTS;

/** Starts S3 servers below a folder. */
const STARTS = { "versitygw": startVersitygw, "Garage": startGarage };

/** Requests at a time. */
const AT_ONCE = 8;
/** Fields of the connection, and the ones that differ on purpose. */
const OTHER_FIELDS = [
  "connection",
  "date",
  "keep-alive",
  "transfer-encoding",
  "via",
  "xylem-confirmed",
  "xylem-published",
  "xylem-publisher-seen",
];

/** Paths of compressed archives. */
const ARCHIVE = /\/archive\/|\.(?:zip|tar\.gz)$/;

/** An answer, without {@link OTHER_FIELDS}; each byte of its body is a character. */
interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Tests that replicas on each runtime answer as the service beside the home.
 *
 * @param most Reads of each recording, about.
 */
export function testReplicas(home: PublishedHome, kinds: readonly BucketKind[], most: number): void {
  describe(`replicas of ${home.archive}`, () => {
    const folder = folderOnDisk("replica-recordings");
    const servers = new Map<BucketKind, S3Server>();
    let beside: Service;
    const reads = publishedReads(home, most);
    let expected: readonly Answered[];
    before(async () => {
      const path = unpackHome(home.archive, folder);
      const published = await createHomeApi({ home: path });
      for (const kind of kinds) {
        if (kind !== "a folder") servers.set(kind, await STARTS[kind](join(folder, kind)));
        const bucket: Bucket = servers.get(kind)?.bucket() ??
          createFolderBucket(join(folder, "bucket"), { fileSystem });
        const publisher = createTestPublisher(published.storage, bucket, { deflate, node: published });
        assert.equal((await publisher.publishAll()).failed, 0);
      }
      await published.close();
      beside = await startService("node", path, ["--behind-proxy"]);
      expected = await answersOf(beside, reads);
      assert.ok(reads.length > 20);
      assert.ok(expected.filter(({ status }) => status === 200).length > 10);
    });
    after(async () => {
      await beside?.stop();
      for (const server of servers.values()) await server.stop();
      removeFolder(folder);
    });

    for (const kind of kinds) {
      for (const runtime of RUNTIMES) {
        it(`answer from ${kind} on ${runtime} as the service on the home`, async () => {
          const server = servers.get(kind);
          const bucket = server === undefined ? join(folder, "bucket") : `s3://${server.options.bucket}`;
          const replica = await startBucketService(runtime, bucket, [], server?.variables ?? {});
          try {
            const answers = await answersOf(replica, reads);
            const { headers } = await fetch(replica.url, { method: "HEAD" });
            assert.equal(headers.get("via"), "1.1 xylem-replica");
            const wrong = reads.flatMap((read, i) => {
              // Runtimes compress archives differently, and the service beside the home is on Node.js.
              const shown = runtime !== "node" && ARCHIVE.test(read.path)
                ? withoutBody
                : (answer: Answered) => answer;
              return differenceOf(read, shown(answers[i]!), shown(expected[i]!)) ?? [];
            });
            assert.deepEqual(wrong, []);
          } finally {
            assert.equal(await replica.stop(), 0);
          }
        });
      }
    }
  });
}

/** Answers in the order of the requests. */
async function answersOf({ url }: Service, reads: readonly RecordedRequest[]): Promise<readonly Answered[]> {
  const client = openClient(url, AT_ONCE);
  const answers: Answered[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < reads.length; at = next++) answers[at] = await answerOf(client, reads[at]!);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    client.close();
  }
  return answers;
}

async function answerOf(client: Client, read: RecordedRequest): Promise<Answered> {
  const { status, headers, body } = await client.ask(read);
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !OTHER_FIELDS.includes(name)));
  return { status, headers: shown, body: Buffer.from(body).toString("latin1") };
}

function withoutBody({ status, headers: { "content-length": _, ...headers } }: Answered): Answered {
  return { status, headers, body: "" };
}

function differenceOf({ path }: RecordedRequest, answer: Answered, expected: Answered): string | undefined {
  try {
    assert.deepEqual(answer, expected);
    return undefined;
  } catch (error) {
    return `${path}: ${String(error).slice(0, 1500)}`;
  }
}

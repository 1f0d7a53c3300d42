/**
 * `npm run bucket:kills`: kills publishers a thousand times, most of them at counted calls of a bucket in
 * memory, others as real processes that publish into a folder and, where it is installed, into versitygw. Takes
 * the lease of a publisher at each call, too.
 *
 *     npm run bucket:kills -- --kills 200 --seed 7
 */
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { createFolderBucket } from "../../../../extensions/replicas/bucket/folder.ts";
import { parseRid } from "../../../../src/ids/rid.ts";
import { fileSystem } from "../../../support/files.ts";
import { folderOnDisk, removeFolder, temporaryFolder, unpackHome } from "../../../support/programs.ts";
import { bucketServer, startVersitygw } from "../../../support/servers.ts";
import { followPublishers, killPublishers } from "./counted_kills.ts";
import {
  claimAtEachCall,
  hideAtEachCall,
  hideFromItself,
  HidingWorld,
  HISTORIES,
  killAtEachCall,
  PASTS,
  showAtEachCall,
} from "./interleavings.ts";
import { killChildren, type KilledHome } from "./killed_children.ts";

/** Shares of the kills: processes that publish into a folder, and into a server. */
const [IN_FOLDER, ON_SERVER] = [0.05, 0.03];

const { values } = parseArgs({
  options: { kills: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const inFolder = Math.ceil(kills * IN_FOLDER);
const onServer = hasServer() ? Math.ceil(kills * ON_SERVER) : 0;
const counted = kills - inFolder - onServer;
let [passed, failed] = [0, 0];

for (let done = 0, at = seed; done < counted; at++) {
  const count = Math.min(20, counted - done);
  await attempt(
    `counted calls, seed ${at}`,
    count,
    () => killPublishers({ seed: at, kills: count, conditional: at % 2 === 0 }),
  );
  done += count;
  await attempt(
    `a reader who follows, seed ${at}`,
    0,
    async () => void await followPublishers({ seed: at, conditional: at % 2 === 0 }),
  );
}
const world = new HidingWorld();
for (const history of HISTORIES) {
  await attempt(
    `private at each call, ${history.name}`,
    0,
    () => hideAtEachCall(world, { ...history, start: 0, step: 1 }),
  );
}
const calls = { start: 0, step: 1 };
for (const past of PASTS) {
  await attempt(
    `killed at each call, published before: ${past}`,
    0,
    () => killAtEachCall(world, { ...calls, past }),
  );
}
await attempt("private at each call of its own publisher", 0, () => hideFromItself(world, calls));
await attempt("public again at each call", 0, () => showAtEachCall(world, calls));
await attempt("two nodes at each call", 0, () => claimAtEachCall(calls));
await attempt("processes, folder", inFolder, () =>
  inHome(async (folder, given) => {
    const address = join(folder, "published");
    const bucket = createFolderBucket(address, { fileSystem });
    await killChildren({ ...given, bucket, address }, inFolder, seed);
  }));
if (onServer > 0) {
  await attempt("processes, versitygw", onServer, () =>
    inHome(async (_, given) => {
      // The server needs extended attributes, which a RAM disk may lack.
      const folder = folderOnDisk("versitygw");
      const server = await startVersitygw(folder);
      try {
        const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server.options;
        const variables = {
          AWS_ENDPOINT_URL: endpoint ?? "",
          AWS_REGION: region ?? "",
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
        };
        const address = `s3://${bucket}/kills`;
        await killChildren(
          { ...given, bucket: server.bucket({ prefix: "kills" }), address, variables },
          onServer,
          seed,
        );
      } finally {
        await server.stop();
        removeFolder(folder);
      }
    }));
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function hasServer(): boolean {
  try {
    return bucketServer("versitygw") !== "";
  } catch {
    process.stdout.write("versitygw is not installed: sh test/interop/install_bucket_servers.sh\n");
    return false;
  }
}

async function attempt(name: string, count: number, run: () => Promise<void>): Promise<void> {
  const startedMs = performance.now();
  try {
    await run();
    passed += Math.max(count, 1);
    process.stdout.write(`${name}: ${count} kills, ${Math.round(performance.now() - startedMs)} ms\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
}

async function inHome(
  run: (folder: string, given: Pick<KilledHome, "home" | "rids">) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder("kills");
  try {
    const home = unpackHome("today/today-collab.tar.gz", folder);
    await run(folder, { home, rids: [parseRid("rad:zFpuHQPLnWcwbzEHUbbv4wCzH9qV")] });
  } finally {
    removeFolder(folder);
  }
}

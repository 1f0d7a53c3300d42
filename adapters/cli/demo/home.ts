/** Makes the demo home: a key, a configuration, databases, and repositories with a past. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { importEd25519 } from "../../../src/identity/ed25519.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createSecretKey, formatPublicKeyFile, formatSecretKeyFile } from "./secret_key_writer.ts";
import type { NewFile, WritableFileSystem } from "../../../src/ports/file_system.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { createCobCache } from "../../node/cob_cache.ts";
import { createFileSystem } from "../../node/file_system.ts";
import { deflate, inflate } from "../../node/zlib.ts";
import { makeCobDatabase, makeNodeDatabases } from "./databases.ts";
import { Member } from "./member.ts";
import { playStory, type Stage } from "./story.ts";

/** Name of the home's node. */
const ALIAS = "demo";
/** The repository that nobody else may know of. */
const PRIVATE = "winter-notes";

/**
 * Files that do not wait for the disk. Choice: a home that a crash of the machine damages in its first
 * seconds holds nothing of worth.
 */
function unsyncedFiles(files: WritableFileSystem): WritableFileSystem {
  return {
    ...files,
    create(path, mode) {
      const file = files.create(path, mode);
      return typeof file === "object" ? unsynced(file) : file;
    },
    syncDirectory: () => Promise.resolve(),
  };
}

function unsynced(file: NewFile): NewFile {
  return { write: (bytes) => file.write(bytes), sync: () => Promise.resolve(), close: () => file.close() };
}

/**
 * Makes a home in an empty folder. Its commits are the same each time. Its key is a new one, and so are
 * repository ids, issues and patches; those of the contributors are forgotten, so that nobody can go on in
 * their names. It is a home of the newest programs. Those of 0.10 read it as well, but list patches with
 * reviews only after `rad patch cache`, as the rows of these differ.
 *
 * @param home Absolute path.
 * @param report Hears what is made next.
 */
export async function makeDemoHome(home: string, report: (step: string) => void = () => {}): Promise<void> {
  for (const name of ["cobs", "keys", "node", "storage"]) await mkdir(`${home}/${name}`, { mode: 0o700 });
  makeCobDatabase(home);
  const root = `${home}/storage`;
  const files = createFileSystem();
  const storage = createHomeStorage({ root, fileSystem: unsyncedFiles(files), inflate, deflate });
  try {
    await fillHome(home, { root, storage, clock: { nowSeconds: 0 } }, report);
  } finally {
    storage.close();
    files.close();
  }
}

/** Makes keys, repositories, configuration and databases in the folders of a home. */
async function fillHome(
  home: string,
  base: Omit<Stage, "members">,
  report: (step: string) => void,
): Promise<void> {
  const { root, storage, clock } = base;
  const context = { storage, cobCache: createCobCache(`${home}/cobs/cache.db`), clock };
  report("keys");
  const secret = createSecretKey();
  await writeKeys(home, secret);
  const owner = await Member.create(ALIAS, secret, context);
  const others = [
    await Member.create("bob", createSecretKey(), context),
    await Member.create("zoë", createSecretKey(), context),
  ];
  const members = [owner, ...others];
  const repositories = await playStory({ ...base, members }, report);
  const rids = [...repositories.values()].map(({ rid }) => rid);
  for (const rid of rids) {
    // Only now: until here everybody wrote, and commits are made in the name that the repository says.
    const committer = `[user]\n\tname = ${ALIAS}\n\temail = ${ALIAS}@${owner.nid}\n`;
    await appendFile(`${root}/${rid.slice("rad:".length)}/config`, committer);
  }
  report("databases");
  // Before the files: each API checks its last changes once more.
  for (const member of members) await member.close();
  await writeConfig(home, rids[0]!);
  makeNodeDatabases(home, {
    nodeId: owner.nid,
    alias: ALIAS,
    seeded: rids,
    announced: rids.filter((rid) => rid !== repositories.get(PRIVATE)?.rid),
    followed: new Map(others.map(({ nid, alias }) => [nid, alias])),
    timeMs: clock.nowSeconds * 1000,
  });
}

async function writeKeys(home: string, secret: Uint8Array<ArrayBuffer>): Promise<void> {
  const { publicKey } = await importEd25519(secret);
  await writeFile(`${home}/keys/radicle`, formatSecretKeyFile(secret, publicKey), { mode: 0o600 });
  await writeFile(`${home}/keys/radicle.pub`, formatPublicKeyFile(publicKey));
}

/**
 * A node started on the home must not reach for the network: no seeds, no listening, and the network that has
 * no bootstrap nodes.
 */
async function writeConfig(home: string, pinned: RepoId): Promise<void> {
  const config = {
    preferredSeeds: [],
    web: { pinned: { repositories: [pinned] } },
    cli: { hints: false },
    node: {
      alias: ALIAS,
      listen: [],
      peers: { type: "static" },
      connect: [],
      externalAddresses: [],
      network: "test",
      relay: "never",
      seedingPolicy: { default: "block" },
    },
  };
  await writeFile(`${home}/config.json`, `${JSON.stringify(config, null, 2)}\n`);
}

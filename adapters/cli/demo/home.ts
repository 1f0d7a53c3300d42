/** Makes the demo home with its keys, its configuration, its databases, and repositories with a history. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { importEd25519 } from "../../../src/keys/ed25519.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { NewFile, WritableFileSystem } from "../../../src/ports/file_system.ts";
import { createHomeStorage, type HomeStorage } from "../../../src/storage/home/storage.ts";
import { createCobCache } from "../../node/cob_cache.ts";
import { fileSystem } from "../../node/file_system.ts";
import { deflate, inflate } from "../../node/zlib.ts";
import { makeCobDatabase, makeNodeDatabases } from "./databases.ts";
import { createSecretKey, formatPublicKeyFile, formatSecretKeyFile } from "./key_files.ts";
import { Member } from "./member.ts";
import { playStory } from "./story.ts";

const ALIAS = "demo";
/** Aliases of the other people in the story. */
const CONTRIBUTORS = ["bob", "zoë"];
/** Name of the private repository in the story. */
const PRIVATE = "winter-notes";

/**
 * Makes a home in an empty folder. The commits of its repositories are always the same. The key of the home
 * is new, so the ids of repositories, issues and patches are new as well. Choice: The key is not part of this
 * package, because anyone with the key could sign in to a service on the home. The keys of the contributors
 * are not saved, so that nobody can write in their names.
 *
 * The home has the format of the newest Radicle programs. `rad` 0.10 can read the home, but lists patches
 * with reviews only after `rad patch cache`.
 *
 * @param home Absolute path.
 */
export async function makeDemoHome(home: string): Promise<void> {
  for (const name of ["cobs", "keys", "node", "storage"]) await mkdir(`${home}/${name}`, { mode: 0o700 });
  makeCobDatabase(home);
  const root = `${home}/storage`;
  const storage = createHomeStorage({ root, fileSystem: unsyncedFiles(fileSystem), inflate, deflate });
  try {
    await fillHome(home, root, storage);
  } finally {
    storage.close();
  }
}

async function fillHome(home: string, root: string, storage: HomeStorage): Promise<void> {
  const clock = { nowSeconds: 0 };
  const context = { storage, cobCache: createCobCache(`${home}/cobs/cache.db`), clock };
  const secret = createSecretKey();
  await writeKeys(home, secret);
  const owner = await Member.create(ALIAS, secret, context);
  const others: Member[] = [];
  for (const alias of CONTRIBUTORS) others.push(await Member.create(alias, createSecretKey(), context));
  const members = [owner, ...others];
  const repositories = await playStory({ root, storage, clock, members });
  const rids = [...repositories.values()].map(({ rid }) => rid);
  for (const rid of rids) {
    // The committer is written after the story, because every later commit gets this name. In the story, each
    // member has a separate name.
    const committer = `[user]\n\tname = ${ALIAS}\n\temail = ${ALIAS}@${owner.nid}\n`;
    await appendFile(`${root}/${rid.slice("rad:".length)}/config`, committer);
  }
  // A member checks its last changes when it is closed, and needs the open storage for this check.
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
 * Writes the configuration of the home. A node on the demo home must not connect to other nodes. Therefore
 * the node has no seeds, does not listen, and belongs to a network without bootstrap nodes.
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

/**
 * Wraps a file system so that writes do not wait for the disk. Choice: A crash of the machine may damage a
 * demo home that was just made, but nothing of value is lost.
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

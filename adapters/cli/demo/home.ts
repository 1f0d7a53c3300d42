/** Makes the demo home: a key, a configuration, databases, and repositories with a past. */
import { mkdir, writeFile } from "node:fs/promises";
import { importEd25519 } from "../../../src/identity/ed25519.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createSecretKey, formatPublicKeyFile, formatSecretKeyFile } from "./secret_key_writer.ts";
import type { NewFile, WritableFileSystem } from "../../../src/ports/file_system.ts";
import { writeHomeRepositoryConfig } from "./new_repository.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { createCobCache } from "../../node/cob_cache.ts";
import { deflate } from "../../node/zlib.ts";
import { createFileSystem } from "../../node/file_system.ts";
import { inflate } from "../../node/zlib.ts";
import { Clock } from "./clock.ts";
import { makeCobDatabase, makeNodeDatabases } from "./databases.ts";
import { History } from "./history.ts";
import { Member } from "./member.ts";
import { ALICE, BOB, ZOE } from "./people.ts";
import { type Place, Project } from "./project.ts";
import { foundCatalogue, foundNotes } from "./side_projects.ts";
import { growTrees } from "./tree_history.ts";
import { discussIssues } from "./tree_issues.ts";
import { proposePatches } from "./tree_patches.ts";

/** Name of the home's node. */
const ALIAS = "demo";

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
  const clock = new Clock();
  const root = `${home}/storage`;
  const files = createFileSystem();
  const fileSystem = unsyncedFiles(files);
  const storage = createHomeStorage({ root, fileSystem, inflate, deflate });
  try {
    await fillHome(home, { fileSystem, root, storage, clock }, report);
  } finally {
    storage.close();
    files.close();
  }
}

/** Makes keys, repositories, configuration and databases in the folders of a home. */
async function fillHome(
  home: string,
  base: Omit<Place, "owner">,
  report: (step: string) => void,
): Promise<void> {
  const { fileSystem, root, storage, clock } = base;
  const context = { storage, cobCache: createCobCache(`${home}/cobs/cache.db`), clock };

  report("keys");
  const secret = createSecretKey();
  await writeKeys(home, secret);
  const owner = await Member.create(ALIAS, ALICE, secret, context);
  const bob = await Member.create("bob", BOB, createSecretKey(), context);
  const zoe = await Member.create("zoë", ZOE, createSecretKey(), context);

  const place = { ...base, owner };
  const trees = await foundTrees(place, bob, zoe, report);
  report("repositories 2 and 3");
  const catalogue = await foundCatalogue(place, bob);
  const notes = await foundNotes(place);
  const projects = [trees, catalogue, notes];
  for (const { rid } of projects) {
    // Only now: until here everybody wrote, and commits are made in the name that the repository says.
    const committer = { name: ALIAS, email: `${ALIAS}@${owner.nid}` };
    await writeHomeRepositoryConfig(fileSystem, `${root}/${rid.slice("rad:".length)}`, committer);
  }
  report("databases");
  // Before the files: each API checks its last changes once more.
  for (const member of [owner, bob, zoe]) await member.close();
  await writeConfig(home, trees.rid);
  makeNodeDatabases(home, {
    nodeId: owner.nid,
    alias: ALIAS,
    seeded: projects.map(({ rid }) => rid),
    announced: [trees.rid, catalogue.rid],
    followed: new Map([bob, zoe].map(({ nid, alias }) => [nid, alias])),
    timeMs: clock.nowSeconds * 1000,
  });
}

async function foundTrees(
  place: Place,
  bob: Member,
  zoe: Member,
  report: (step: string) => void,
): Promise<Project> {
  report("repository 1: commits");
  const { clock, owner } = place;
  const history = new History(clock);
  const { main, birds, tags } = growTrees(history, clock);
  const description = "A small project to look around in";
  const draft = { name: "xylem-demo", description, visibility: "public" } as const;
  const project = await Project.found(place, draft, history, main);
  const tagRefs = Object.entries(tags).map(([name, oid]) => [`refs/tags/${name}`, oid] as const);
  await owner.publish(project.repository, {
    "refs/heads/feature/birds": birds.oid,
    ...Object.fromEntries(tagRefs),
  });
  for (const contributor of [bob, zoe]) {
    await contributor.publish(project.repository, { "refs/heads/main": main.oid });
  }
  report("repository 1: issues");
  await discussIssues(project, bob, zoe);
  report("repository 1: patches");
  await proposePatches(project, bob, zoe, main);
  return project;
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

/** Makes the demo home: a key, a configuration, databases, and repositories with a past. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { importEd25519, SECRET_KEY_BYTES } from "../../../src/keys/ed25519.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { NewFile, WritableFileSystem } from "../../../src/ports/file_system.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { createCobCache } from "../../node/cob_cache.ts";
import { fileSystem } from "../../node/file_system.ts";
import { deflate, inflate } from "../../node/zlib.ts";
import { Member } from "./member.ts";
import { playStory, type Stage } from "./story.ts";
import { DatabaseSync } from "node:sqlite";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { SqlValue, Statement } from "../../../src/ports/node_database.ts";
import { seedStatements } from "../../../src/seeding/policy.ts";
import { TABLES } from "./carried/story.ts";
import { base64 } from "@scure/base";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { sshBytes } from "../../../src/bytes/ssh_bytes.ts";
import { encodePublicBlob, KEY_TYPE } from "../../../src/keys/ssh_wire.ts";

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
  const storage = createHomeStorage({ root, fileSystem: unsyncedFiles(fileSystem), inflate, deflate });
  try {
    await fillHome(home, { root, storage, clock: { nowSeconds: 0 } }, report);
  } finally {
    storage.close();
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

/** Facts that the node of the home knows. */
export interface NodeFacts {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** All repositories, and which of them others may know of. */
  readonly seeded: readonly RepoId[];
  readonly announced: readonly RepoId[];
  /** Other nodes and what they are called. */
  readonly followed: ReadonlyMap<NodeId, string>;
  /** Time of that knowledge, milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Makes `cobs/cache.db`; its rows come with the issues and patches. */
export function makeCobDatabase(home: string): void {
  make(`${home}/cobs/cache.db`, "delete", TABLES["cobs"]!);
}

/** Makes `node/node.db` and `node/policies.db`. */
export function makeNodeDatabases(home: string, facts: NodeFacts): void {
  const { nodeId, alias, seeded, announced, followed, timeMs } = facts;
  const row = (sql: string, ...values: SqlValue[]): Statement => ({ sql, values });
  // The newest programs read no node.db without a write-ahead log.
  make(`${home}/node/node.db`, "wal", TABLES["node"]!, [
    row("insert into nodes (id, features, alias, timestamp) values (?, 1, ?, ?)", nodeId, alias, timeMs),
    ...announced.map((rid) =>
      row("insert into routing (repo, node, timestamp) values (?, ?, ?)", rid, nodeId, timeMs)
    ),
  ]);
  make(`${home}/node/policies.db`, "delete", "", [
    ...seeded.flatMap((rid) => seedStatements(rid, "all")),
    ...[...followed].map(([nid, name]) =>
      row(`insert into "following" (id, alias) values (?, ?)`, nid, name)
    ),
  ]);
}

/** Makes a database with a journal of that kind. */
function make(
  path: string,
  journal: "delete" | "wal",
  tables: string,
  rows: readonly Statement[] = [],
): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma synchronous = off; pragma journal_mode = ${journal}; begin; ${tables}`);
    for (const { sql, values = [] } of rows) database.prepare(sql).all(...values);
    database.exec("commit");
  } finally {
    database.close();
  }
}

const MAGIC = "openssh-key-v1\0";
/** The comment of Radicle's keys. */
const COMMENT = "radicle";
/** The length of the private section is a multiple of this. */
const BLOCK_BYTES = 8;
/** Characters per line of base64. */
const LINE_LENGTH = 70;

/** Creates a secret key of 32 random bytes, as `importEd25519` takes it. */
export function createSecretKey(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(SECRET_KEY_BYTES));
}

/**
 * Formats `keys/radicle`. The key is not encrypted: create the file with mode 0600.
 *
 * @param secret 32 bytes.
 * @param publicKey The 32 bytes of the matching public key; the match is not checked.
 */
export function formatSecretKeyFile(secret: Uint8Array, publicKey: Uint8Array): string {
  const check = checkWord(secret);
  const section = sshBytes(check, check, KEY_TYPE, publicKey, joinBytes([secret, publicKey]), COMMENT);
  const paddingBytes = (BLOCK_BYTES - section.length % BLOCK_BYTES) % BLOCK_BYTES;
  const padding = Uint8Array.from({ length: paddingBytes }, (_, i) => i + 1);
  const file = joinBytes([
    new TextEncoder().encode(MAGIC),
    // No cipher, no key derivation, one key.
    sshBytes("none", "none", "", 1, encodePublicBlob(publicKey), joinBytes([section, padding])),
  ]);
  const lines = base64.encode(file).match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join(
    "\n",
  );
}

/** Formats `keys/radicle.pub` for a 32-byte public key. */
export function formatPublicKeyFile(publicKey: Uint8Array): string {
  return `${KEY_TYPE} ${base64.encode(encodePublicBlob(publicKey))} ${COMMENT}\n`;
}

/**
 * The check word, which stands twice before a key: the exclusive or of the secret's eight words, so that
 * equal keys give equal files.
 */
function checkWord(secret: Uint8Array): number {
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  let word = 0;
  for (let at = 0; at < secret.length; at += 4) word ^= view.getUint32(at);
  return word >>> 0;
}

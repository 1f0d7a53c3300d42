/**
 * Checks a published home in its bucket, without access to the home. Every object that a manifest or another
 * document names must exist and be undamaged.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { mapAtOnce, type RepoId, Task, type Unpack } from "../../../src/mod.ts";
import type { Bucket, BucketEntry } from "../bucket/bucket.ts";
import { CATALOGUE, CATALOGUE_ROWS } from "../format/catalogue.ts";
import {
  CATALOGUE_PREFIX,
  LEASE_KEY,
  manifestKey,
  NODE_PREFIX,
  packKey,
  parseKey,
  repositoryPrefix,
} from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import { NODE } from "../format/node_description.ts";
import { RECENT } from "../format/recent_changes.ts";
import { readRows } from "./catalogue_writer.ts";
import { readManifest, readObject } from "./changing_object.ts";
import { findDamagedGitFiles } from "./git_file_check.ts";
import { keysOf } from "./content_objects.ts";
import { checkPack, type PackCheck } from "./pack_check.ts";
import { namedSnapshots } from "./node_publication.ts";
import { listObjects, listRepositories, namedKeys, type RepositoryEntries } from "./unreferenced_objects.ts";

/** Maximum number of bytes that one read of an object returns. */
const READ_BYTES = 2 ** 22;
/** Number of bytes that are hashed between two pauses. This takes some milliseconds. */
const HASHED_AT_ONCE = 2 ** 18;
/** Maximum number of objects of a repository that are read at the same time. */
const OBJECTS_AT_ONCE = 4;
/** Maximum number of packs of a repository that are read at the same time. */
const PACKS_AT_ONCE = 2;
/** Maximum number of attempts to read the objects of one state while a publisher replaces states. */
const TRIES = 3;

/** A problem with one object. */
export interface Damage {
  readonly key: string;
  /**
   * - `missing`: the object is named but does not exist.
   * - `damaged`: the content of the object does not match its key or its digest.
   * - `not in the catalogue`: the catalogue lacks the repository of this manifest.
   * - `refused by git`: `git fsck` of a clone finds missing or damaged objects. It does so in any case when
   *   the history of the repository is shallow.
   * - `without a manifest`: a repository in the catalogue has no readable manifest under this key.
   */
  readonly problem:
    | "missing"
    | "damaged"
    | "not in the catalogue"
    | "refused by git"
    | "without a manifest";
}

/**
 * Verifies a clone of a published repository with git.
 *
 * @returns Whether the clone is whole; `undefined` when git cannot be run, or there is no room for the clone.
 */
export type VerifyClone = (manifest: Manifest) => Promise<boolean | undefined>;

export interface BucketReport {
  readonly repositories: number;
  /** Number of repositories whose clone git has found whole. */
  readonly clones: number;
  readonly objects: number;
  readonly bytes: number;
  /**
   * Number of objects that nothing names. These objects belong to earlier states, and are not removed before
   * the grace time is over.
   */
  readonly unreferenced: number;
  readonly unreferencedBytes: number;
  /**
   * Time when the latest state was published, in milliseconds since the epoch; null if there is no published
   * state.
   */
  readonly publishedAtMs: number | null;
  /**
   * Time of a publisher's last sign of life in milliseconds since the epoch, by the clock of the bucket; null
   * if there is no sign of life.
   */
  readonly publisherSeenAtMs: number | null;
  readonly damaged: number;
}

/**
 * Checks a bucket by reading all its objects. A publisher may work on the bucket at the same time.
 *
 * @throws {BucketError}
 * @throws The reason of `signal` when it is aborted.
 */
export async function checkBucket(
  { bucket, unpack, verifyClone, signal }: {
    readonly bucket: Bucket;
    readonly unpack: Unpack;
    /**
     * Verifies clones of repositories that are complete and not damaged; by default, no clone is verified.
     */
    readonly verifyClone?: VerifyClone | undefined;
    readonly signal?: AbortSignal | undefined;
  },
  onDamage: (damage: Damage) => void,
): Promise<BucketReport> {
  const report = {
    ...{ repositories: 0, clones: 0, objects: 0, bytes: 0, unreferenced: 0, unreferencedBytes: 0 },
    publishedAtMs: null as number | null,
    publisherSeenAtMs: (await bucket.head(LEASE_KEY))?.modifiedMs ?? null,
    damaged: 0,
  };
  const addDamage = (key: string, problem: Damage["problem"]) => {
    report.damaged++;
    onDamage({ key, problem });
  };
  const count = (entry: BucketEntry, isNamed: boolean) => {
    report.objects++;
    report.bytes += entry.size;
    if (isNamed) return;
    report.unreferenced++;
    report.unreferencedBytes += entry.size;
  };
  const task = new Task("background");
  const published = new Set<RepoId>();
  for await (const listed of listRepositories(bucket)) {
    signal?.throwIfAborted();
    const { manifest, entries } = await readWhole(bucket, listed);
    const own = entries.find(({ key }) => key === manifestKey(listed.rid));
    const named = manifest === undefined ? new Set<string>() : namedKeys(manifest);
    if (manifest === undefined && own !== undefined) addDamage(own.key, "damaged");
    if (manifest !== undefined) {
      published.add(listed.rid);
      report.publishedAtMs = Math.max(report.publishedAtMs ?? 0, manifest.publishedAtMs);
    }
    const damagedBefore = report.damaged;
    const there = new Set(entries.map(({ key }) => key));
    for (const key of named) if (!there.has(key)) addDamage(key, "missing");
    await mapAtOnce(entries, OBJECTS_AT_ONCE, async (entry) => {
      signal?.throwIfAborted();
      count(entry, named.has(entry.key) || entry === own);
      if (entry !== own && await isDamaged(bucket, entry, task)) addDamage(entry.key, "damaged");
    });
    if (manifest === undefined) continue;
    const options = { unpack, task, signal };
    for (const key of await findDamagedFiles(bucket, manifest, there, options)) addDamage(key, "damaged");
    const isSound = report.damaged === damagedBefore && manifest.isIncomplete !== true;
    const isVerified = isSound ? await verifyClone?.(manifest) : undefined;
    if (isVerified === false) addDamage(manifestKey(listed.rid), "refused by git");
    else if (isVerified === true) report.clones++;
  }
  report.repositories = published.size;
  await checkLists();
  return report;

  async function checkLists(): Promise<void> {
    const node = await readObject(bucket, NODE);
    const catalogue = await readObject(bucket, CATALOGUE);
    for (const [key, { value, etag }] of [[NODE.key, node], [CATALOGUE.key, catalogue]] as const) {
      if (value === undefined) addDamage(key, etag === undefined ? "missing" : "damaged");
    }
    // Publishers of earlier versions do not put this object, so it may be missing.
    const recent = await readObject(bucket, RECENT);
    if (recent.value === undefined && recent.etag !== undefined) addDamage(RECENT.key, "damaged");
    const named = new Set([
      ...await namedSnapshots(bucket),
      ...keysOf(CATALOGUE_ROWS, catalogue.value?.pages ?? []),
    ]);
    const there = new Set<string>();
    for (const prefix of [NODE_PREFIX, CATALOGUE_PREFIX]) {
      for await (const entry of bucket.list(prefix)) {
        there.add(entry.key);
        count(entry, named.has(entry.key));
        if (await isDamaged(bucket, entry, task)) addDamage(entry.key, "damaged");
      }
    }
    for (const key of named) if (!there.has(key)) addDamage(key, "missing");
    const rows = await readRows({ bucket, unpack, task });
    for (const rid of published) if (!rows.has(rid)) addDamage(manifestKey(rid), "not in the catalogue");
    for (const rid of rows.keys()) if (!published.has(rid)) addDamage(manifestKey(rid), "without a manifest");
  }
}

/** Returns the keys of the damaged files of packs and files for git clients, as far as they exist. */
async function findDamagedFiles(
  bucket: Bucket,
  manifest: Manifest,
  there: ReadonlySet<string>,
  options: { readonly unpack: Unpack; readonly task: Task; readonly signal: AbortSignal | undefined },
): Promise<readonly string[]> {
  const { rid, packs } = manifest;
  const checks: PackCheck[] = [];
  await mapAtOnce(packs, PACKS_AT_ONCE, async (pack) => {
    options.signal?.throwIfAborted();
    const isWhole = there.has(packKey(rid, pack.name, "pack")) && there.has(packKey(rid, pack.name, "idx"));
    checks.push(isWhole ? await checkPack(bucket, rid, pack, options.task) : { damaged: [], oids: [] });
  });
  const damaged = checks.flatMap((check) => check.damaged);
  const oids = new Set(checks.flatMap((check) => [...check.oids]));
  const files = await findDamagedGitFiles(bucket, manifest, oids, options);
  return [...damaged, ...files].filter((key) => there.has(key));
}

/** Returns the manifest and the listed objects of a repository. Both belong to the same state if possible. */
async function readWhole(bucket: Bucket, { rid, entries: listed }: RepositoryEntries) {
  let entries = listed;
  for (let tries = 1;; tries++) {
    const { value: manifest } = await readManifest(bucket, rid);
    const there = new Set(entries.map(({ key }) => key));
    const isWhole = manifest === undefined || [...namedKeys(manifest)].every((key) => there.has(key));
    if (isWhole || tries === TRIES) return { manifest, entries };
    entries = await listObjects(bucket, repositoryPrefix(rid));
  }
}

/**
 * Checks whether an object exists and is damaged. The key of an immutable object ends with the digest of the
 * content. Other objects are not checked here.
 */
async function isDamaged(bucket: Bucket, { key, size }: BucketEntry, task: Task): Promise<boolean> {
  const parsed = parseKey(key);
  if (parsed === undefined || !("hash" in parsed)) return false;
  const hash = sha256.create();
  for (let start = 0; start < size; start += READ_BYTES) {
    const range = { start, end: Math.min(size, start + READ_BYTES) };
    const read = await bucket.get(key, { range });
    if (read === undefined || read === "unchanged") return false;
    for (let at = 0; at < read.bytes.length; at += HASHED_AT_ONCE) {
      hash.update(read.bytes.subarray(at, at + HASHED_AT_ONCE));
      await task.yield();
    }
  }
  return bytesToHex(hash.digest()) !== parsed.hash;
}

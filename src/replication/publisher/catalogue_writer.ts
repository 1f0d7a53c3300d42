/** Keeps the catalogue of a bucket: the repositories that have manifests, and what lists show of them. */
import { Task } from "../../scheduling/task.ts";
import { DamagedError } from "../../errors.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket } from "../../ports/bucket.ts";
import type { Deflate } from "../../ports/deflate.ts";
import type { RepositoryListing } from "../../ports/storage.ts";
import type { UnpackBlock } from "../format/block.ts";
import {
  type Catalogue,
  type CataloguePage,
  cataloguePageOf,
  type CatalogueRow,
  decodeCatalogue,
  decodeCataloguePage,
  encodeCatalogue,
  encodeCataloguePages,
  MAX_CATALOGUE_BYTES,
} from "../format/catalogue.ts";
import { CATALOGUE_KEY, CATALOGUE_PREFIX, cataloguePageKey, parseKey } from "../format/keys.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import type { UnreferencedObjects } from "./unreferenced_objects.ts";
import { IMMUTABLE } from "./pack_sender.ts";
import { ChangedMeanwhile, CHANGING, conditionOf, readManifest } from "./published_manifest.ts";

/** Tries to change the catalogue while other publishers change it. */
export const MAX_TRIES = 20;
/** Pages with less JSON are joined with their neighbour. */
const SMALL_PAGE_BYTES = 2 ** 15;

/** Parts that the writer needs. */
export interface CatalogueDependencies {
  readonly bucket: Bucket;
  readonly deflate: Deflate;
  readonly unpack: UnpackBlock;
}

/** Rows that are put into the catalogue, and repositories that leave it. */
export interface CatalogueChanges {
  readonly added: ReadonlyMap<RepoId, RepositoryListing | null>;
  readonly removed: ReadonlySet<RepoId>;
}

/**
 * Reads all rows of the catalogue. A catalogue that is damaged counts as empty, and so do its pages.
 *
 * @throws {BucketError}
 */
export async function readCatalogue(
  dependencies: CatalogueDependencies,
): Promise<ReadonlyMap<RepoId, RepositoryListing | null>> {
  const task = new Task("background");
  const rows = new Map<RepoId, RepositoryListing | null>();
  for (const page of (await findCatalogue(dependencies.bucket)).catalogue?.pages ?? []) {
    for (const { rid, listing } of await readPage(dependencies, page) ?? []) rows.set(rid, listing);
    await task.yield();
  }
  return rows;
}

/**
 * Finds rows that the catalogue lacks or that are old, and those of repositories without a manifest.
 *
 * @param rows The catalogue.
 * @param published Repositories that have manifests.
 * @param listings Of published states, as far as they are known; others are read from manifests.
 * @throws {BucketError}
 */
export async function findCorrections(
  bucket: Bucket,
  rows: ReadonlyMap<RepoId, RepositoryListing | null>,
  published: ReadonlySet<RepoId>,
  listings: ReadonlyMap<RepoId, RepositoryListing | null>,
): Promise<CatalogueChanges> {
  const added = new Map<RepoId, RepositoryListing | null>();
  for (const rid of published) {
    const listing = listings.get(rid);
    const row = rows.get(rid);
    if (row !== undefined && (listing === undefined || isSameJson(row, listing))) continue;
    added.set(rid, listing ?? (await readManifest(bucket, rid)).manifest?.listing ?? null);
  }
  return { added, removed: new Set([...rows.keys()].filter((rid) => !published.has(rid))) };
}

/** The result of a change. */
export interface CatalogueUpdate {
  /** Whether the catalogue was put. */
  readonly hasPut: boolean;
  /** Whether a page was gone or damaged: its other rows have to be put again. */
  readonly isDamaged: boolean;
}

/**
 * Changes the catalogue. Nothing is put when nothing changes. Rows that are removed, and without conditional
 * puts all changes, are looked at again until nothing is left to change: another publisher may have put an
 * older state meanwhile.
 *
 * @throws {BucketError}
 */
export async function updateCatalogue(
  dependencies: CatalogueDependencies,
  changes: CatalogueChanges,
): Promise<CatalogueUpdate> {
  const { bucket } = dependencies;
  let [hasPut, isDamaged] = [false, false];
  /** Keys of pages that may have no name: they may tell of repositories that have left the catalogue. */
  const unused = new Set<string>();
  for (let tries = 1;; tries++) {
    const { catalogue: before, etag } = await findCatalogue(bucket);
    const changed = await changePages(dependencies, before?.pages ?? [], changes);
    isDamaged ||= changed.isDamaged;
    if (!changed.hasChanged && before !== undefined) {
      await removePages(bucket, unused, before.pages);
      return { hasPut, isDamaged };
    }
    const { pages, put } = changed;
    for (const { page } of put) unused.add(cataloguePageKey(page.sha256));
    const bytes = encodeCatalogue({
      format: PUBLISHED_FORMAT,
      generation: (before?.generation ?? 0) + 1,
      pages,
    });
    try {
      const condition = await conditionOf(bucket, CATALOGUE_KEY, etag);
      const options = { ...condition, contentType: "application/json", cacheControl: CHANGING };
      if (await bucket.put(CATALOGUE_KEY, bytes, options) !== "conflict") {
        hasPut = true;
        if (changed.hasRemoved) {
          for await (const { key } of bucket.list(CATALOGUE_PREFIX)) unused.add(key);
        }
        await removePages(bucket, unused, pages);
        // Another publisher may have removed a page that tells the same, or that is not named any more.
        let isWhole = true;
        for (const page of put) {
          if (await bucket.head(cataloguePageKey(page.page.sha256)) !== undefined) continue;
          await putPage(bucket, page);
          unused.add(cataloguePageKey(page.page.sha256));
          isWhole = false;
        }
        const isSettled = isWhole && changes.removed.size === 0;
        if (isSettled && await bucket.conditionalPuts()) return { hasPut, isDamaged };
      }
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
    if (tries === MAX_TRIES) throw new ChangedMeanwhile(CATALOGUE_KEY);
  }
}

/** Takes pages out of the set, and removes those that the catalogue does not name. */
async function removePages(
  bucket: Bucket,
  removed: Set<string>,
  named: readonly CataloguePage[],
): Promise<void> {
  const namedKeys = new Set(named.map(({ sha256 }) => cataloguePageKey(sha256)));
  const keys = [...removed].filter((key) => parseKey(key)?.of === "cataloguePage" && !namedKeys.has(key));
  if (keys.length > 0) await bucket.delete(keys);
  removed.clear();
}

/** Removes pages that the catalogue has not named for long. Returns their number. */
export async function removeOldPages(
  bucket: Bucket,
  clockMs: number,
  unreferenced: UnreferencedObjects,
): Promise<number> {
  const { catalogue } = await findCatalogue(bucket);
  const head = catalogue && await bucket.head(CATALOGUE_KEY);
  if (head === undefined) return 0;
  const entries = [];
  for await (const entry of bucket.list(CATALOGUE_PREFIX)) entries.push(entry);
  const keys = new Set(catalogue!.pages.map(({ sha256 }) => cataloguePageKey(sha256)));
  const old = unreferenced.find(entries, { putMs: head.modifiedMs, keys }, clockMs);
  if (old.length > 0) await bucket.delete(old);
  return old.length;
}

/** The catalogue, if there is one that can be read, and the tag of the object. */
async function findCatalogue(
  bucket: Bucket,
): Promise<{ readonly catalogue: Catalogue | undefined; readonly etag: string | undefined }> {
  const object = await bucket.get(CATALOGUE_KEY, { limitBytes: MAX_CATALOGUE_BYTES });
  if (object === undefined || object === "unchanged") return { catalogue: undefined, etag: undefined };
  try {
    return { catalogue: decodeCatalogue(object.bytes), etag: object.etag };
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return { catalogue: undefined, etag: object.etag };
  }
}

/** The rows of a page; `undefined` when it is gone or damaged. */
async function readPage(
  { bucket, unpack }: CatalogueDependencies,
  page: CataloguePage,
): Promise<readonly CatalogueRow[] | undefined> {
  const object = await bucket.get(cataloguePageKey(page.sha256), { limitBytes: page.bytes });
  if (object === undefined || object === "unchanged") return undefined;
  try {
    return decodeCataloguePage(page, object.bytes, unpack);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

/** A page, and its bytes. */
type EncodedPage = ReturnType<typeof encodeCataloguePages>[number];

/** Pages after a change. */
interface ChangedPages {
  readonly pages: readonly CataloguePage[];
  /** Those that were put. */
  readonly put: readonly EncodedPage[];
  readonly hasChanged: boolean;
  /** Whether there was a row of a repository that leaves. */
  readonly hasRemoved: boolean;
  /** Whether a page was gone or damaged. */
  readonly isDamaged: boolean;
}

async function putPage(bucket: Bucket, { page, bytes }: EncodedPage): Promise<void> {
  const options = { cacheControl: IMMUTABLE, contentType: "application/octet-stream" };
  await bucket.put(cataloguePageKey(page.sha256), bytes, options);
}

/** Puts the pages that change. */
async function changePages(
  dependencies: CatalogueDependencies,
  before: readonly CataloguePage[],
  { added, removed }: CatalogueChanges,
): Promise<ChangedPages> {
  const task = new Task("background");
  const starts = before.length === 0 ? [{ first: "" }] : before;
  const touched = new Map<number, RepoId[]>();
  for (const rid of [...added.keys(), ...removed]) {
    const number = cataloguePageOf(starts, rid);
    const others = touched.get(number);
    if (others === undefined) touched.set(number, [rid]);
    else others.push(rid);
  }
  const after: CataloguePage[] = [];
  const put: EncodedPage[] = [];
  let [hasChanged, hasRemoved, isDamaged] = [false, false, false];
  /** Rows of small pages that are joined with the next page, and where they begin. */
  let carried: { readonly first: string; readonly rows: readonly CatalogueRow[] } | undefined;
  for (const [number, { first }] of starts.entries()) {
    await task.yield();
    const page = before[number];
    const rids = touched.get(number);
    if (rids === undefined && carried === undefined && page !== undefined) {
      after.push(page);
      continue;
    }
    const rows = new Map<RepoId, CatalogueRow>();
    const found = page && await readPage(dependencies, page);
    isDamaged ||= page !== undefined && found === undefined;
    for (const row of found ?? []) rows.set(row.rid, row);
    let isSame = page !== undefined && rows.size === page.rows && carried === undefined;
    for (const rid of rids ?? []) {
      const [was, listing] = [rows.get(rid), added.get(rid)];
      if (removed.has(rid)) {
        isSame &&= was === undefined;
        hasRemoved ||= was !== undefined;
        rows.delete(rid);
      } else if (listing !== undefined) {
        isSame &&= was !== undefined && isSameJson(was.listing, listing);
        rows.set(rid, { rid, listing });
      }
    }
    if (isSame) {
      after.push(page!);
      continue;
    }
    hasChanged = true;
    const all = [...carried?.rows ?? [], ...rows.values()];
    const begin = carried?.first ?? first;
    carried = undefined;
    const encoded = encodeCataloguePages(begin, all, dependencies.deflate);
    if (encoded.length === 1 && encoded[0]!.page.rawBytes < SMALL_PAGE_BYTES && number < starts.length - 1) {
      carried = { first: begin, rows: all };
      continue;
    }
    for (const one of encoded) {
      await putPage(dependencies.bucket, one);
      put.push(one);
      after.push(one.page);
    }
  }
  return { pages: after, put, hasChanged, hasRemoved, isDamaged };
}

function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

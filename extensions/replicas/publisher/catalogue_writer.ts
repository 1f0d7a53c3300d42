/**
 * Writes the catalogue of a bucket: the repositories that have manifests, and the data that lists show about
 * them.
 */
import { mapAtOnce, type RepoId, type RepositoryListing } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import {
  CATALOGUE,
  type Catalogue,
  CATALOGUE_ROWS,
  type CataloguePage,
  type CatalogueRow,
  encodeCataloguePages,
} from "../format/catalogue.ts";
import { CATALOGUE_PREFIX, parseKey } from "../format/keys.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import { decodePage } from "../format/paged_table.ts";
import { type CatalogueChanges, type Listings, pagesToRead, planCatalogue } from "./catalogue_plan.ts";
import { type Found, readObject, replaceObject } from "./changing_object.ts";
import { keysOf, putPages } from "./content_objects.ts";
import type { PublicationOptions } from "./publication_options.ts";
import { type Shown, ShownQueue } from "./shown_queue.ts";
import { listObjects } from "./unreferenced_objects.ts";

/** Maximum number of pages that are read at the same time. */
const PAGES_AT_ONCE = 8;

type CatalogueOptions = Pick<PublicationOptions, "bucket" | "deflate" | "unpack" | "task"> & Shown;

/**
 * Changes the catalogue, one change after the other. Only rows of public repositories are added. If a
 * repository becomes private while its row is put, the row is removed at once.
 */
export class CatalogueWriter {
  readonly #options: CatalogueOptions;
  /** Published repositories that the catalogue may lack, with their listings. */
  readonly #queue: ShownQueue<RepositoryListing | null>;
  /** Whether rows were lost because a page is missing or damaged. All rows must then be added again. */
  isDamaged = false;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#queue = new ShownQueue(options);
  }

  /** Adds a row. The next {@link flush} puts it into the catalogue. */
  add(rid: RepoId, listing: RepositoryListing | null): void {
    this.#queue.add(rid, listing);
  }

  /**
   * Removes repositories from the catalogue.
   *
   * @throws {BucketError}
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    this.#queue.forget(rids);
    await this.#queue.run(() => this.#queue.put(this.#update, rids));
  }

  /** Puts the queued rows into the catalogue. Creates a catalogue if the bucket has no catalogue. */
  async flush(): Promise<void> {
    await this.#queue.run(() => this.#queue.put(this.#update));
  }

  /**
   * Puts an existing catalogue again. This put changes the tag of the catalogue, so that a late conditional
   * put of another publisher fails.
   */
  async renew(): Promise<void> {
    await this.#queue.run(async () => {
      const found = await readObject(this.#options.bucket, CATALOGUE);
      if (found.value !== undefined) await this.#put(found, found.value.pages);
    });
  }

  /** Puts the changed pages, and then the catalogue. */
  readonly #update = async (added: Listings, removed: ReadonlySet<RepoId>): Promise<void> => {
    const changes: CatalogueChanges = { added, removed };
    const { bucket } = this.#options;
    const found = await readObject(bucket, CATALOGUE);
    if (added.size + removed.size === 0 && found.value !== undefined) return;
    const before = found.value?.pages ?? [];
    const read = new Map<number, readonly CatalogueRow[]>();
    await mapAtOnce(pagesToRead(before, changes), PAGES_AT_ONCE, async (number) => {
      const rows = await readPage(this.#options, before[number]!);
      this.isDamaged ||= rows === undefined;
      read.set(number, rows ?? []);
    });
    const { pages: planned, hasRemoved } = planCatalogue(before, read, changes);
    if (found.value !== undefined && planned.every((one) => "page" in one)) return;
    const { task } = this.#options;
    const pages: CataloguePage[] = [];
    const encoded: { readonly sha256: string; readonly content: Uint8Array<ArrayBuffer> }[] = [];
    for (const one of planned) {
      await task.yield();
      const made = "page" in one ? [] : encodeCataloguePages(one, this.#options.deflate);
      encoded.push(...made.map(({ page: { sha256 }, content }) => ({ sha256, content })));
      pages.push(...("page" in one ? [one.page] : made.map(({ page }) => page)));
    }
    await putPages(bucket, CATALOGUE_ROWS, encoded);
    await this.#put(found, pages);
    if (!hasRemoved) return;
    // The old pages name a removed repository, so these pages are deleted now. This includes old pages of a
    // publisher that was killed.
    const named = new Set(keysOf(CATALOGUE_ROWS, pages));
    const left = (await listObjects(bucket, CATALOGUE_PREFIX)).map(({ key }) => key)
      .filter((key) => parseKey(key)?.of === "cataloguePage" && !named.has(key));
    if (left.length > 0) await bucket.delete(left);
  };

  async #put(found: Found<Catalogue>, pages: readonly CataloguePage[]): Promise<void> {
    const catalogue = { format: PUBLISHED_FORMAT, number: (found.value?.number ?? 0) + 1, pages } as const;
    await replaceObject(this.#options.bucket, CATALOGUE, catalogue, found);
  }
}

/**
 * Reads all rows of the catalogue. A damaged catalogue or page counts as empty.
 *
 * @throws {BucketError}
 */
export async function readRows(
  options: Pick<CatalogueOptions, "bucket" | "unpack" | "task">,
): Promise<Listings> {
  const rows = new Map<RepoId, RepositoryListing | null>();
  for (const page of (await readObject(options.bucket, CATALOGUE)).value?.pages ?? []) {
    for (const { rid, listing } of await readPage(options, page) ?? []) rows.set(rid, listing);
    await options.task.yield();
  }
  return rows;
}

/** Returns the keys of the pages that the catalogue in the bucket names. */
export async function namedPages(bucket: Bucket): Promise<readonly string[]> {
  return keysOf(CATALOGUE_ROWS, (await readObject(bucket, CATALOGUE)).value?.pages ?? []);
}

/** Returns the rows of a page, or `undefined` when the page is missing or damaged. */
async function readPage(
  { bucket, unpack }: Pick<CatalogueOptions, "bucket" | "unpack">,
  page: CataloguePage,
): Promise<readonly CatalogueRow[] | undefined> {
  const { value } = await readObject(bucket, {
    key: CATALOGUE_ROWS.keyOf(page.sha256),
    limitBytes: page.bytes,
    decode: (bytes) => decodePage(CATALOGUE_ROWS, page, bytes, unpack),
  });
  return value;
}

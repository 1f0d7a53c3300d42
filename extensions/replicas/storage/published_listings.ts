/** Lists of the published repositories, which are read from the catalogue and its pages. */
import {
  type ListedRepository,
  type Listings,
  type ListingSelection,
  type LruMap,
  mapAtOnce,
  type Memory,
  type RepoId,
  ridToOid,
} from "../../../src/mod.ts";
import {
  CATALOGUE,
  type Catalogue,
  CATALOGUE_ROWS,
  type CataloguePage,
  type CatalogueRow,
  mayHaveDelegate,
} from "../format/catalogue.ts";
import { pageOf } from "../format/paged_table.ts";
import { FreshDocument } from "./fresh_document.ts";
import { type ReadPage, readRows } from "./page_reader.ts";
import { type BucketReads, GoneError, unavailable } from "./reads.ts";

/** Maximum number of pages that are read at the same time. */
const PAGES_AT_ONCE = 8;

/** Reads the catalogue and its pages when they are needed. */
export class PublishedListings {
  readonly #reads: BucketReads;
  readonly #evaluation: string;
  readonly #catalogue: FreshDocument<Catalogue>;
  readonly #pages: LruMap<string, ReadPage>;

  /**
   * @param evaluation Name of the rules by which issues and patches are evaluated. Listings that were made by
   *   other rules are not used.
   */
  constructor(reads: BucketReads, memory: Memory, evaluation: string) {
    this.#reads = reads;
    this.#evaluation = evaluation;
    this.#catalogue = new FreshDocument(CATALOGUE, reads);
    this.#pages = memory.mapOfLarge("bucketContents", ({ weight }) => weight);
  }

  async repositoryIds(): Promise<readonly RepoId[]> {
    const pages = await mapAtOnce(await this.#pagesNow(), PAGES_AT_ONCE, (page) => this.#rows(page));
    return pages.flatMap((rows) => rows.map(({ rid }) => rid));
  }

  /** Marks the catalogue as outdated, so that the next list reads it again. */
  expire(): void {
    this.#catalogue.expire();
  }

  async listings(): Promise<Listings> {
    const pages = await this.#pagesNow();
    const isListed = pages.every(({ rows, listed }) => rows === listed);
    const all = (selection?: ListingSelection) => this.#all(pages, selection);
    return {
      projects: isListed ? pages.reduce((sum, { projects }) => sum + projects, 0) : undefined,
      all,
      present: async (rids) => {
        const wanted = new Map<CataloguePage, Set<RepoId>>();
        for (const rid of rids) {
          const page = pageOf(pages, ridToOid(rid));
          if (page !== undefined) wanted.set(page, (wanted.get(page) ?? new Set()).add(rid));
        }
        const present = await mapAtOnce(wanted, PAGES_AT_ONCE, async ([page, rids]) => {
          const rows = await this.#rows(page);
          return rows.flatMap(({ rid }) => rids.has(rid) ? [rid] : []);
        });
        return new Set(present.flat());
      },
    };
  }

  async *#all(
    pages: readonly CataloguePage[],
    { skippedProjects = 0, delegate }: ListingSelection = {},
  ): AsyncGenerator<ListedRepository> {
    let left = skippedProjects;
    let wanted = delegate === undefined ? pages : pages.filter((page) => mayHaveDelegate(page, delegate));
    while (wanted.length > 0 && left >= wanted[0]!.projects && left > 0) {
      left -= wanted[0]!.projects;
      wanted = wanted.slice(1);
    }
    // The first page is enough for most lists. A reader that needs more pages soon needs many pages.
    for (
      let start = 0, count = 1;
      start < wanted.length;
      start += count, count = Math.min(2 * count, PAGES_AT_ONCE)
    ) {
      const together = wanted.slice(start, start + count);
      for (const rows of await mapAtOnce(together, PAGES_AT_ONCE, (page) => this.#rows(page))) {
        for (const { rid, listing } of rows) {
          if (left > 0) left -= listing?.isProject ? 1 : 0;
          else yield { rid, listing: listing?.evaluation === this.#evaluation ? listing : null };
        }
      }
    }
  }

  /**
   * Returns the pages of the current catalogue.
   *
   * @throws {UnavailableError} when the bucket has no catalogue. Publishers store even an empty catalogue.
   */
  async #pagesNow(): Promise<readonly CataloguePage[]> {
    const catalogue = await this.#catalogue.get();
    if (catalogue !== undefined) return catalogue.pages;
    this.#reads.log("warn", `Object "${CATALOGUE.key}" is not in the bucket`);
    throw unavailable();
  }

  async #rows(page: CataloguePage): Promise<readonly CatalogueRow[]> {
    try {
      return await readRows(this.#reads, this.#pages, CATALOGUE_ROWS, page);
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    }
    // The page no longer exists, because a repository has left the catalogue. A new page has replaced it.
    const now = (await this.#catalogue.reload())?.pages.find(({ first }) => first === page.first);
    if (now === undefined || now.sha256 === page.sha256) throw unavailable();
    return await readRows(this.#reads, this.#pages, CATALOGUE_ROWS, now).catch((error) => {
      throw error instanceof GoneError ? unavailable() : error;
    });
  }
}

/** The files of the page, as `node build/carry_page.ts` bundles them from `src/page/`. */

/** A file of the page. */
export interface PageFile {
  /** Media type. */
  readonly type: string;
  /** Digest of the content. */
  readonly digest: string;
  readonly text: string;
}

/** All files: `index.html`, and those that it loads, each with the digest of its content in its name. */
export const PAGE_FILES: Readonly<Record<string, PageFile>>;

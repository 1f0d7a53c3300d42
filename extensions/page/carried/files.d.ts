/** The files of the page, as `node build/carry_page.ts` bundles them from `extensions/page/`. */

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

/** Hashes of what the page may run and how it may look, as a policy names them. */
export const PAGE_HASHES: {
  /** Of its scripts and its import map. */
  readonly scripts: readonly string[];
  /** Of the style in `index.html`. */
  readonly style: string;
};

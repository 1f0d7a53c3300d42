/** The files of the page, as `node build/carry_page.ts` bundles them from `extensions/page/`. */

/** A file of the page. */
export interface PageFile {
  /** Media type. */
  readonly type: string;
  /** Digest of the content. */
  readonly digest: string;
  readonly text: string;
}

/**
 * All files of the page: `index.html` and the files that it loads. The name of each loaded file contains the
 * digest of its content.
 */
export const PAGE_FILES: Readonly<Record<string, PageFile>>;

/**
 * Hashes of the scripts and the style that browsers may use in the page, as they are written in a content
 * security policy.
 */
export const PAGE_HASHES: {
  /** Hashes of the scripts and of the import map. */
  readonly scripts: readonly string[];
  /** Hash of the style in `index.html`. */
  readonly style: string;
};

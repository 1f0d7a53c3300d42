/** Types of the bundled files of the page, which `node build/carry_page.ts` makes from `extensions/page/`. */

/** A file of the page. */
export interface PageFile {
  /** Media type of the file. */
  readonly type: string;
  /** Digest of the content of the file. */
  readonly digest: string;
  readonly text: string;
}

/**
 * All files by name: `index.html`, and the files that it loads. The name of a loaded file contains the digest
 * of its content.
 */
export const PAGE_FILES: Readonly<Record<string, PageFile>>;

/** Hashes for the Content Security Policy of the page, in the notation of the policy. */
export const PAGE_HASHES: {
  /** Hashes of the scripts and of the import map. */
  readonly scripts: readonly string[];
  /** Hash of the style in `index.html`. */
  readonly style: string;
};

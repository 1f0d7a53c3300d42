/**
 * Makes files of real projects that cost more than sources: a bundle of a megabyte in few lines, a lock file
 * of 20,000 lines, and vendored code.
 */

type Below = (limit: number) => number;

const BUNDLE_LINES = 60;
const CALLS_PER_LINE = 640;
/** Each package has six lines. */
const LOCKED_PACKAGES = 3400;
/** Most packages that one change of the lock file updates. */
const LOCK_CHANGES = 40;
const VENDORED_FILES = 120;
const VENDORED_LINES = 150;

/** The lines of a bundle. Most calls are the same in every version. */
export function bundle(version: number, below: Below): string[] {
  return Array.from({ length: BUNDLE_LINES }, (_, line) => {
    const changed = below(4) === 0 ? version : 0;
    return Array.from(
      { length: CALLS_PER_LINE },
      (_, i) => `e.x${(line * 31 + i) % 997}=t(${i * 7 + changed},"${line}")`,
    ).join(";");
  });
}

/** A lock file. Each change updates the versions of some packages. */
export class LockFile {
  readonly #versions: number[] = Array.from({ length: LOCKED_PACKAGES }, () => 0);
  readonly #below: Below;

  constructor(below: Below) {
    this.#below = below;
  }

  /** The lines after one more change. */
  change(version: number): string[] {
    for (let i = this.#below(LOCK_CHANGES); i >= 0; i--) {
      this.#versions[this.#below(LOCKED_PACKAGES)] = version;
    }
    const packages = this.#versions.flatMap((version, i) => [
      `    "node_modules/package-${i}": {`,
      `      "version": "${version % 9}.${version % 31}.${version}",`,
      `      "resolved": "https://packages.example.org/package-${i}-${version}.tgz",`,
      `      "integrity": "sha512-${i.toString(36).padStart(8, "0")}${
        version.toString(36).padStart(8, "0")
      }",`,
      `      "license": "MIT"`,
      "    },",
    ]);
    return ["{", `  "packages": {`, ...packages, "  }", "}"];
  }
}

/** The files of a vendored library. A new version changes every file. */
export function vendored(
  version: number,
  below: Below,
): { readonly path: string; readonly lines: string[] }[] {
  return Array.from({ length: VENDORED_FILES }, (_, file) => ({
    path: `vendor/library/part_${file % 9}/file_${file}.js`,
    lines: Array.from(
      { length: VENDORED_LINES },
      (_, line) =>
        below(6) === 0
          ? `export const v${line} = ${version};`
          : `export function f${line}() { return ${file * line}; }`,
    ),
  }));
}

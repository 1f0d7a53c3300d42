/**
 * Checks that `CHANGELOG.md` has the form of Keep a Changelog
 * (https://keepachangelog.com/en/1.1.0/): unreleased changes, then releases with the newest first, each with
 * its changes by kind, and at the end a link for each heading.
 */

/** Kinds of changes in their required order. Each change has at least one line. */
const CHANGES = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
  .map((kind) => `(?:\\n### ${kind}\\n\\n(?:- .+\\n(?:  .+\\n)*)+)?`).join("");
const UNRELEASED = new RegExp(`^## \\[(Unreleased)\\]\\n${CHANGES}\\n$`);
const RELEASED = new RegExp(`^## \\[(\\d+\\.\\d+\\.\\d+)\\] - (\\d{4}-\\d\\d-\\d\\d)\\n${CHANGES}\\n$`);

/** A release, or the unreleased changes. */
export interface Release {
  /** A version, or `Unreleased`. */
  readonly name: string;
  /** Day of the release, such as `2026-11-24`. */
  readonly date: string | undefined;
  /** Number of changes. */
  readonly changes: number;
}

/**
 * Parses the releases of a changelog. The first one is `Unreleased`.
 *
 * @throws {Error} when the text does not have the form.
 */
export function readChangelog(text: string): Release[] {
  const [, body, links] = /^# Changelog\n[^#]*(## [\s\S]*?\n)((?:\[.+\]: \S+\n)+)$/.exec(text) ??
    refuse("it has a heading, releases and links");
  const releases = body!.split(/^(?=## )/m).map((section, i) => {
    const [, name = "", date] = (i === 0 ? UNRELEASED : RELEASED).exec(section) ??
      refuse(`"${section.split("\n")[0]}" and the changes below are of the form`);
    return { name, date, changes: section.match(/^- /gm)?.length ?? 0 };
  });
  const names = releases.map(({ name }) => name);
  const linked = Array.from(links!.matchAll(/^\[(.+)\]/gm), ([, name]) => name!);
  if (`${linked}` !== `${names}`) refuse("its headings have links, in their order");
  const [, ...versions] = names;
  if (`${versions}` !== `${versions.toSorted(newestFirst)}`) refuse("its releases begin with the newest");
  return releases;
}

function refuse(rule: string): never {
  throw new Error(`CHANGELOG.md is not of the form of keepachangelog.com: ${rule}`);
}

function newestFirst(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}

/**
 * The form of `CHANGELOG.md`, that of Keep a Changelog (https://keepachangelog.com/en/1.1.0/): what is not
 * released, then releases from the newest on, each with its changes by kind, and a link for each heading at
 * the end.
 */

/** Kinds of changes, in their order, each with a line or more for a change. */
const CHANGES = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
  .map((kind) => `(?:\\n### ${kind}\\n\\n(?:- .+\\n(?:  .+\\n)*)+)?`).join("");
const UNRELEASED = new RegExp(`^## \\[(Unreleased)\\]\\n${CHANGES}\\n$`);
const RELEASED = new RegExp(`^## \\[(\\d+\\.\\d+\\.\\d+)\\] - (\\d{4}-\\d\\d-\\d\\d)\\n${CHANGES}\\n$`);

/** A release, or what is not released yet. */
export interface Release {
  /** A version, or `Unreleased`. */
  readonly name: string;
  /** Day of the release: `2026-11-24`. */
  readonly date: string | undefined;
  /** How many changes it has. */
  readonly changes: number;
}

/**
 * The releases of a changelog; the first one is `Unreleased`.
 *
 * @throws {Error} when it is not of the form.
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

/** All that can be odd about an entry besides its actions; plans name it. */
import { createRandom } from "../../cob/random.ts";
import { mutate } from "./mutate.ts";
import { ODD_COMMITS } from "./odd_commits.ts";
import { ODD_FILES } from "./odd_files.ts";
import { ODD_PEOPLE } from "./odd_people.ts";
import { ODD_SIGNATURES } from "./odd_signatures.ts";
import type { Oddity } from "./raw.ts";

/** Oddities by name. */
export const ODDITIES: Readonly<Record<string, Oddity>> = {
  ...ODD_FILES,
  ...ODD_SIGNATURES,
  ...ODD_PEOPLE,
  ...ODD_COMMITS,
};

/** Parts that can be changed at random, by what names of oddities begin with; a number follows, `typo in armour 7`. */
const TYPOS: Readonly<Record<string, (change: (text: string) => string) => Oddity>> = {
  "typo in armour": (change) => ({ armour: change }),
  "typo in commit": (change) => ({ text: change }),
  "typo in committer": (change) => ({
    commit: (commit) => void (commit.committer = commit.committer && change(commit.committer)),
  }),
  "typo in author": (change) => ({
    commit: (commit) => void (commit.author = commit.author && change(commit.author)),
  }),
  "typo in trailers": (change) => ({
    commit: (commit) => void (commit.trailers = change(commit.trailers.join("\n")).split("\n")),
  }),
  "typo in manifest": (change) => ({
    files: (files) => {
      const { mode = "100644", text = "" } = files.get("manifest") ?? {};
      files.set("manifest", { mode, text: change(text) });
    },
  }),
  "typo in action": (change) => ({
    files: (files) => {
      const { mode = "100644", text = "" } = files.get("0") ?? {};
      files.set("0", { mode, text: change(text) });
    },
  }),
};

/** What names of typos begin with. */
export const TYPO_NAMES: readonly string[] = Object.keys(TYPOS);

/** The oddity of a name. */
export function findOddity(name: string): Oddity {
  const [, place = "", number] = /^(.*) (\d+)$/.exec(name) ?? [];
  const oddity = ODDITIES[name] ?? TYPOS[place]?.((text) => mutate(createRandom(Number(number)), text));
  if (oddity === undefined) throw new TypeError(`There is no oddity "${name}"`);
  return oddity;
}

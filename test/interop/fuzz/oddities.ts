/** All that can be odd about an entry besides its actions; plans name it. */
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

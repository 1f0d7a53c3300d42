/** What random objects are made of. */
import { DOCUMENTS } from "./documents.ts";
import { ODD_JSON } from "./odd_json.ts";
import { ODDITIES } from "./oddities.ts";

/** The things that may be odd; each list may be empty but that of documents. */
export interface Features {
  /** Names of oddities of commits, trees and signatures. */
  readonly oddities: readonly string[];
  /** Names of oddities of the JSON of actions. */
  readonly json: readonly string[];
  /** Names of identity documents. */
  readonly documents: readonly string[];
  /** Whether texts have random mistakes. */
  readonly hasTypos: boolean;
  /** Whether actions name commits that are none or are missing. */
  readonly hasStrangeCommits: boolean;
  /** Whether first entries stand on something that is missing. */
  readonly hasMissingRoots: boolean;
}

/** Everything there is. */
export const ALL_FEATURES: Features = {
  oddities: Object.keys(ODDITIES),
  json: Object.keys(ODD_JSON),
  documents: Object.keys(DOCUMENTS),
  hasTypos: true,
  hasStrangeCommits: true,
  hasMissingRoots: true,
};

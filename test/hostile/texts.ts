/** Texts that are much work to index and to search. */
import { putEntry } from "../cob/entries.ts";
import type { HostileClass } from "./target.ts";

const SECONDS = 1_780_000_000;
const ISSUE = "xyz.radicle.issue";
const ISSUES = 180;
/** Characters of a text, near the limit of what is indexed of it. */
const LENGTH = 64_000;

/** Texts: many words with the same beginning, one character, one word. */
const TEXTS: readonly ((seed: number) => string)[] = [
  (seed) => Array.from({ length: LENGTH / 9 }, (_, i) => `aaa${(seed * LENGTH + i).toString(36)}`).join(" "),
  () => "の".repeat(LENGTH / 6),
  () => "aaa ".repeat(LENGTH / 4),
];

/** Issues whose texts are found by short queries, with long lists of places for each word. */
export const hardTexts: HostileClass = {
  name: "texts that are hard to search",
  fill(target, { alice, identity: resource }) {
    for (let i = 0; i < ISSUES; i++) {
      const body = TEXTS[i % TEXTS.length]!(i);
      const actions = [{ type: "comment", body }, { type: "edit", title: `Issue ${i}` }];
      const id = putEntry(target, { writer: alice, actions, resource, timeSeconds: SECONDS + i });
      target.setRef(`refs/namespaces/${alice.nid}/refs/cobs/${ISSUE}/${id}`, id);
    }
    const queries = ["aaa", "の の の の", "aaa aaa aaa aaa aaa aaa", "issue a"];
    return queries.map((query) => `/../../search?perPage=100&q=${encodeURIComponent(query)}`);
  },
};

/** Objects with one thing odd each: every oddity there is, on actions of every kind. */
import { createRandom } from "../../cob/random.ts";
import { DOCUMENTS } from "./documents.ts";
import { ODD_JSON } from "./odd_json.ts";
import { ODDITIES } from "./oddities.ts";
import type { EntryPlan, ObjectPlan, RowKind } from "./plans.ts";

/** An object with one thing odd, and what it is about. */
export interface Case {
  /** Group and name of the oddity, `json member twice`. */
  readonly oddity: string;
  /** What else tells it from others. */
  readonly detail: string;
  readonly plan: ObjectPlan;
}

const START_SECONDS = 1_700_000_000;
/** How often an oddity with a choice is asked to choose. */
const VARIANTS = 2;

const lines = { type: "lines", range: { start: 1, end: 2 } };
const chars = { type: "chars", line: 1, range: { start: 1, end: 2 } };
const location = { commit: "@c1", path: "text", old: lines, new: chars };
const embeds = [{ name: "a", content: "git:@blob" }];

/** One action of each kind, which {@link bases} have an object for. */
const SAMPLES: Readonly<Record<RowKind, readonly object[]>> = {
  issue: [
    { type: "comment", body: "text 1", embeds, replyTo: "@e0" },
    { type: "comment.edit", id: "@e0", body: "text 1", embeds },
    { type: "comment.redact", id: "@e1" },
    { type: "comment.react", id: "@e0", reaction: "✨", active: true },
    { type: "edit", title: "text 1" },
    { type: "lifecycle", state: { status: "closed", reason: "solved" } },
    { type: "lifecycle", state: { status: "open" } },
    { type: "label", labels: ["text", "b"] },
    { type: "assign", assignees: ["@k1"] },
  ],
  patch: [
    { type: "edit", title: "text 1", target: "delegates" },
    { type: "edit", title: "text 1", target: { branch: "dev" } },
    { type: "label", labels: ["text", "b"] },
    { type: "lifecycle", state: { status: "draft" } },
    { type: "assign", assignees: ["@k1"] },
    { type: "merge", revision: "@e0", commit: "@c0" },
    { type: "revision", description: "text", base: "@c0", oid: "@c1", resolves: [["@e0", "@e1"]] },
    { type: "revision.edit", revision: "@e0", description: "text", embeds },
    { type: "revision.react", revision: "@e0", location, reaction: "✨", active: true },
    { type: "revision.redact", revision: "@e1" },
    { type: "revision.comment", revision: "@e0", body: "text", location, replyTo: "@e2", embeds: [] },
    { type: "revision.comment.edit", revision: "@e0", comment: "@e2", body: "text", embeds: [] },
    { type: "revision.comment.redact", revision: "@e0", comment: "@e2" },
    { type: "revision.comment.react", revision: "@e0", comment: "@e2", reaction: "✨", active: true },
    { type: "review", revision: "@e1", summary: "text", verdict: "accept", labels: ["text"] },
    { type: "review.edit", review: "@e3", summary: "text", verdict: "reject", labels: ["text"] },
    { type: "review.redact", review: "@e3" },
    { type: "review.react", review: "@e3", reaction: "✨", active: true },
    {
      type: "review.comment",
      review: "@e3",
      body: "text",
      location: { commit: "@c1", path: "text" },
      reply_to: "@e4",
      embeds,
    },
    { type: "review.comment.edit", review: "@e3", comment: "@e4", body: "text", embeds: [] },
    { type: "review.comment.redact", review: "@e3", comment: "@e4" },
    { type: "review.comment.react", review: "@e3", comment: "@e4", reaction: "✨", active: true },
    { type: "review.comment.resolve", review: "@e3", comment: "@e4" },
    { type: "review.comment.unresolve", review: "@e3", comment: "@e4" },
  ],
};

/** The first entries of objects; those of a patch are the patch, a revision, a comment, a review and a comment on it. */
const BASES: Readonly<Record<RowKind, readonly (readonly object[])[]>> = {
  issue: [
    [{ type: "comment", body: "b", embeds: [] }, { type: "edit", title: "t" }],
    [{ type: "comment", body: "first", replyTo: "@e0" }],
  ],
  patch: [
    [{ type: "revision", description: "d", base: "@c0", oid: "@c1" }, {
      type: "edit",
      title: "t",
      target: "delegates",
    }],
    [{ type: "revision", description: "second", base: "@c0", oid: "@c2" }],
    [{ type: "revision.comment", revision: "@e0", body: "c" }],
    [{ type: "review", revision: "@e0", verdict: "accept" }],
    [{ type: "review.comment", review: "@e3", body: "rc" }],
  ],
};
/** Goes on top of what is odd: a reference never leads there itself. */
const TOPS: Readonly<Record<RowKind, object>> = {
  issue: { type: "comment", body: "On top", replyTo: "@e0" },
  patch: { type: "revision.comment", body: "On top", revision: "@e0" },
};
const TIMELESS = { type: "label", labels: ["z"] };
/** Keys that set labels and merge, by document. */
const WRITERS = [0, 1, 2];
const BRANCHES = ["main", "dev", "feature/x"];

/** All cases; the same in every run. */
export function systematicCases(): Case[] {
  const cases: Omit<Case, "plan">[] = [];
  const plans: Omit<ObjectPlan, "nonce">[] = [];
  const add = (oddity: string, detail: string, kind: RowKind, entries: readonly EntryPlan[]) => {
    cases.push({ oddity, detail: `${kind} ${detail}` });
    plans.push({ kind, entries });
  };
  for (const kind of ["issue", "patch"] as const) {
    const base = chain(BASES[kind].map((actions) => actions.map((action) => JSON.stringify(action))));
    const top = JSON.stringify(TOPS[kind]);
    for (const [name, { isTimeless }] of Object.entries(ODDITIES)) {
      const action = isTimeless ? TIMELESS : SAMPLES[kind][kind === "issue" ? 0 : 6]!;
      add(name, "later", kind, [
        ...base,
        { ...entryAt(base.length, [JSON.stringify(action)]), oddities: [name] },
        entryAt(base.length + 1, [top]),
      ]);
      if (!isTimeless) add(name, "first", kind, [{ ...base[0]!, oddities: [name] }, entryAt(1, [top])]);
    }
    for (const [name, change] of Object.entries(ODD_JSON)) {
      const texts = SAMPLES[kind].flatMap((sample) => {
        const text = JSON.stringify(sample);
        return Array.from({ length: VARIANTS }, (_, n) => change(text, createRandom(n * 31 + 5)))
          .filter((changed) => changed !== text);
      });
      for (const text of new Set(texts)) {
        add(`json ${name}`, text, kind, [
          ...base,
          entryAt(base.length, [text]),
          entryAt(base.length + 1, [top]),
        ]);
      }
    }
    for (const document of Object.keys(DOCUMENTS)) {
      for (const writer of WRITERS) {
        const entry = entryAt(base.length, [JSON.stringify(TIMELESS)]);
        add(`document ${document}`, `labelled by ${writer}`, kind, [...base, { ...entry, document, writer }]);
        if (kind === "issue") continue;
        for (const branch of BRANCHES) {
          const target = branch === "main" ? "delegates" : { branch };
          const merge = JSON.stringify({ type: "merge", revision: "@e0", commit: "@c0" });
          add(`document ${document}`, `merged into ${branch} by ${writer}`, kind, [
            ...base,
            entryAt(base.length, [JSON.stringify({ type: "edit", title: "u", target })]),
            { ...entryAt(base.length + 1, [merge]), document, writer },
          ]);
        }
      }
    }
  }
  return cases.map((one, nonce) => ({ ...one, plan: { ...plans[nonce]!, nonce } }));
}

function chain(actions: readonly (readonly string[])[]): EntryPlan[] {
  return actions.map((texts, i) => entryAt(i, texts));
}

/** An entry on top of the one before. */
function entryAt(at: number, actions: readonly string[]): EntryPlan {
  return {
    writer: 0,
    parents: at === 0 ? [] : [at - 1],
    seconds: START_SECONDS + at,
    actions,
    document: "one",
  };
}

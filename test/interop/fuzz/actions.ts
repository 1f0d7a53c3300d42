/** Random actions of issues and patches: sound for the most part, odd in what they name and say. */
import type { Random } from "../../cob/random.ts";
import type { Features } from "./features.ts";

/** A value that is written as JSON; names such as `@e1` stand for ids. */
type Value = null | boolean | number | string | Value[] | { readonly [member: string]: Value };
type Action = Readonly<Record<string, Value>>;

const REACTIONS = ["✨", "🌱", "❤", "🩷", "🪅", "☀", "a", "", "✨✨", "👍🏽", "❤️", "🛸"];
const TEXTS = [
  "",
  " ",
  "text",
  "a\nb",
  "a\r",
  "\u0085",
  "\ufeff",
  "é",
  "e\u0301",
  "\u0000",
  "𝄞",
  "x ".repeat(40),
];
const LABELS = ["a", "b", "c d", "", " ", "é", "e\u0301", "𝄞", "\uffff", "\t", "x".repeat(300)];

/** What an action may name. */
export interface Named {
  /** Number of entries that are there already. */
  readonly entries: number;
  /** Numbers of the entries that opened a comment, a revision or a review; guesses that make most actions meet their object. */
  readonly likely: readonly number[];
  readonly keys: number;
  readonly commits: number;
  readonly features: Features;
}

function text(random: Random): string {
  return random.below(5) > 0 ? `text ${random.below(9)}` : random.pick(TEXTS);
}

function entry(random: Random, { entries, likely }: Named): string {
  const roll = random.below(20);
  if (roll === 0) return "@missing";
  if (roll < 5) return `@e${random.below(entries)}`;
  return roll < 9 || likely.length === 0 ? "@e0" : `@e${random.pick(likely)}`;
}

function commit(random: Random, { commits, features }: Named): string {
  const roll = features.hasStrangeCommits ? random.below(30) : 30;
  return roll === 0
    ? "@missing"
    : roll === 1
    ? "@blob"
    : roll === 2
    ? "@e0"
    : roll === 3
    ? "@tree"
    : `@c${random.below(commits)}`;
}

function reaction(random: Random): string {
  return random.below(3) > 0 ? random.pick(["✨", "🌱"]) : random.pick(REACTIONS);
}

function labels(random: Random): string[] {
  return random.below(3) === 0
    ? Array.from({ length: random.below(4) }, () => random.pick(LABELS))
    : random.pick([[], ["a"], ["a", "b"], ["b", "a"], ["a", "a"]]);
}

function assignees(random: Random, { keys }: Named): string[] {
  const some = Array.from({ length: random.below(3) }, () => `@k${random.below(keys)}`);
  return random.below(30) === 0 ? [...some, random.pick(["@n0", "did:key:abc", "", "did:web:a"])] : some;
}

function embeds(random: Random): Value[] {
  const some: Value[] = [
    { name: "a.txt", content: "git:@blob" },
    { name: "", content: "nowhere" },
    { content: "data:,x", name: "b" },
    { name: "c", content: "git:@missing", more: 1 },
  ];
  return Array.from({ length: random.below(3) }, () => random.pick(some));
}

function range(random: Random): Value {
  const lines = { start: random.below(5), end: random.below(9) };
  return random.pick<Value>([
    null,
    { type: "lines", range: lines },
    { type: "lines", range: lines },
    { type: "chars", line: random.below(9), range: lines },
  ]);
}

function location(random: Random, named: Named): Value {
  if (random.below(2) === 0) return null;
  const at = {
    commit: commit(random, named),
    path: random.pick(["README", "./README", "a/b", "", "é", "e\u0301"]),
  };
  return random.below(3) === 0 ? at : { ...at, old: range(random), new: range(random) };
}

/** Members that may as well be missing; left out now and then. */
function optional(random: Random, members: Action): Action {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) =>
      random.below(value === null || Array.isArray(value) && value.length === 0 ? 2 : 4) > 0
    ),
  );
}

/** Something that may be done to an issue. */
export function issueAction(random: Random, named: Named): Action {
  const id = entry(random, named);
  const make: (() => Action)[] = [
    () => ({
      type: "comment",
      body: text(random),
      ...optional(random, { replyTo: random.below(4) > 0 ? id : null, embeds: embeds(random) }),
    }),
    () => ({ type: "comment", body: text(random), replyTo: "@e0" }),
    () => ({ type: "comment.edit", id, body: text(random), embeds: embeds(random) }),
    () => ({ type: "comment.redact", id }),
    () => ({ type: "comment.react", id, reaction: reaction(random), active: random.below(3) > 0 }),
    () => ({ type: "edit", title: text(random) }),
    () => ({
      type: "lifecycle",
      state: random.pick<Value>([
        { status: "open" },
        { status: "closed", reason: "solved" },
        { status: "closed", reason: "other" },
        { status: "closed", reason: "solved" },
        { status: "closed" },
        { status: "open", reason: "other" },
        { status: "closed", reason: "none" },
      ]),
    }),
    () => ({ type: "label", labels: labels(random) }),
    () => ({ type: "assign", assignees: assignees(random, named) }),
  ];
  return random.pick(make)();
}

/** Something that may be done to a patch. */
export function patchAction(random: Random, named: Named): Action {
  const [revision, other] = [random.below(2) === 0 ? "@e0" : entry(random, named), entry(random, named)];
  const body = text(random);
  const active = random.below(3) > 0;
  const target = () =>
    random.pick<Value>([
      ...["delegates", "delegates", "delegates"],
      ...["dev", "refs/heads/main", "refs/tags/x", "a..b", "feature/x", "d*"].map((branch) => ({ branch })),
      ...named.features.json.includes("enum object") ? [{ delegates: null }] : [],
    ]);
  const make: (() => Action)[] = [
    () => ({ type: "edit", title: body, target: target() }),
    () => ({ type: "label", labels: labels(random) }),
    () => ({
      type: "lifecycle",
      state: { status: random.pick(["open", "draft", "archived", "open", "draft", "archived", "merged"]) },
    }),
    () => ({ type: "assign", assignees: assignees(random, named) }),
    () => ({ type: "merge", revision, commit: commit(random, named) }),
    () => ({ type: "merge", revision: "@e0", commit: `@c${random.below(3)}` }),
    () => ({ type: "merge", revision, commit: `@c${random.below(3)}` }),
    () => ({
      type: "revision",
      description: body,
      base: commit(random, named),
      oid: commit(random, named),
      ...random.below(6) === 0 ? { resolves: [["@e0", other]] } : {},
    }),
    () => ({
      type: "revision.edit",
      revision,
      description: body,
      ...optional(random, { embeds: embeds(random) }),
    }),
    () => ({ type: "revision.redact", revision: other }),
    () => ({
      type: "revision.react",
      revision,
      reaction: reaction(random),
      active,
      ...optional(random, { location: location(random, named) }),
    }),
    () => ({
      type: "revision.comment",
      revision,
      body,
      ...optional(random, {
        location: location(random, named),
        replyTo: random.below(2) === 0 ? null : other,
        embeds: embeds(random),
      }),
    }),
    () => ({ type: "revision.comment", revision: "@e0", body, replyTo: other }),
    () => ({ type: "revision.comment.edit", revision, comment: other, body, embeds: embeds(random) }),
    () => ({ type: "revision.comment.react", revision, comment: other, reaction: reaction(random), active }),
    () => ({ type: "revision.comment.redact", revision, comment: other }),
    () => ({
      type: "review",
      revision,
      ...optional(random, {
        summary: random.pick([body, null]),
        verdict: random.pick(["accept", "reject", null]),
        labels: labels(random),
      }),
    }),
    () => ({ type: "review", revision, verdict: random.pick(["accept", "reject"]) }),
    () => ({ type: "review", revision: "@e0", summary: body }),
    () => ({
      type: "review.edit",
      review: other,
      ...optional(random, {
        summary: random.pick([body, null]),
        verdict: random.pick(["accept", "reject", null]),
        labels: labels(random),
        embeds: embeds(random),
      }),
    }),
    () => ({ type: "review.redact", review: other }),
    () => ({ type: "review.react", review: other, reaction: reaction(random), active }),
    () => ({
      type: "review.comment",
      review: other,
      body,
      ...optional(random, {
        [random.pick(["reply_to", "replyTo"])]: random.below(2) === 0 ? null : revision,
        location: location(random, named),
        embeds: embeds(random),
      }),
    }),
    () => ({ type: "review.comment.edit", review: other, comment: revision, body, embeds: embeds(random) }),
    () => ({
      type: `review.comment.${random.pick(["edit", "redact", "resolve", "unresolve"])}`,
      review: entry(random, named),
      comment: entry(random, named),
      body,
      embeds: [],
    }),
    () => ({
      type: "review.comment.react",
      review: other,
      comment: entry(random, named),
      reaction: reaction(random),
      active,
    }),
  ];
  return random.pick(make)();
}

/** The first actions of an issue or a patch. */
export function openingActions(random: Random, kind: "issue" | "patch", named: Named): Action[] {
  const more = random.below(4) === 0
    ? [kind === "issue" ? issueAction(random, named) : patchAction(random, named)]
    : [];
  return kind === "issue"
    ? [{ type: "comment", body: text(random), embeds: embeds(random) }, {
      type: "edit",
      title: text(random) || "t",
    }, ...more]
    : [
      { type: "revision", description: text(random), base: "@c0", oid: commit(random, named) },
      {
        type: "edit",
        title: text(random) || "t",
        target: random.below(8) === 0 ? { branch: "dev" } : "delegates",
      },
      ...more,
    ];
}

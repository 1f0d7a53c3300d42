/** Every action of issues and patches that can be sent over HTTP, as steps of one history each. */
import type { CachedType } from "../../src/ports/cob_cache.ts";

/** Ids that steps refer to: that of the object, of the node and of two commits, and those of earlier entries by the names that steps give them. */
export type Ids = Readonly<Record<string, string>>;

/** One action. */
export interface Step {
  readonly type: string;
  /** Name of the entry for later steps. */
  readonly as?: string;
  /** Members of the action besides its type. */
  body(ids: Ids): Readonly<Record<string, unknown>>;
  /** What `rad` shows from then on, and what no more. */
  readonly shows?: string;
  readonly hides?: string;
}

/** The history of one object. */
export interface History {
  readonly type: CachedType;
  /** As `rad` and paths call it. */
  readonly kind: "issue" | "patch";
  /** Body of the request that opens the object. */
  opening(ids: Ids): object;
  readonly steps: readonly Step[];
}

const EMBEDS = [{ name: "a.txt", content: "data:text/plain;base64,aGVsbG8=" }];
const place = ({ second: commit }: Ids) => ({
  commit,
  path: "lamp",
  old: null,
  new: { type: "lines", range: { start: 0, end: 1 } },
});

const ISSUE: History = {
  type: "xyz.radicle.issue",
  kind: "issue",
  opening: () => ({
    title: "Broken lamp",
    description: "It does not *shine*.",
    labels: ["light"],
    assignees: [],
    embeds: EMBEDS,
  }),
  steps: [
    {
      type: "comment",
      as: "comment",
      body: ({ object }) => ({ body: "Have you tried the switch?", replyTo: object, embeds: EMBEDS }),
      shows: "Have you tried the switch?",
    },
    { type: "comment", body: ({ comment }) => ({ body: "Twice.", replyTo: comment }), shows: "Twice." },
    {
      type: "comment.react",
      body: ({ comment }) => ({ id: comment, reaction: "✨", active: true }),
    },
    { type: "comment.react", body: ({ object }) => ({ id: object, reaction: "🌱", active: true }) },
    { type: "comment.react", body: ({ object }) => ({ id: object, reaction: "🌱", active: false }) },
    {
      type: "comment.edit",
      body: ({ comment }) => ({ id: comment, body: "Have you tried *another* switch?", embeds: EMBEDS }),
      shows: "Have you tried *another* switch?",
      hides: "Have you tried the switch?",
    },
    { type: "comment", as: "slip", body: ({ object }) => ({ body: "Oops", replyTo: object }), shows: "Oops" },
    { type: "comment.redact", body: ({ slip }) => ({ id: slip }), hides: "Oops" },
    { type: "label", body: () => ({ labels: ["power", "light"] }), shows: "power" },
    { type: "label", body: () => ({ labels: ["power"] }), hides: "light" },
    { type: "assign", body: ({ node }) => ({ assignees: [`did:key:${node}`] }), shows: "Assignees" },
    { type: "edit", body: () => ({ title: "Lamp, repaired" }), shows: "Lamp, repaired" },
    {
      type: "lifecycle",
      body: () => ({ state: { status: "closed", reason: "solved" } }),
      shows: "closed (solved)",
    },
    { type: "lifecycle", body: () => ({ state: { status: "open" } }), shows: "open" },
    {
      type: "lifecycle",
      body: () => ({ state: { status: "closed", reason: "other" } }),
      shows: "closed",
    },
  ],
};

const PATCH: History = {
  type: "xyz.radicle.patch",
  kind: "patch",
  opening: ({ first, second }) => ({
    title: "A new lamp",
    description: "It is bright.",
    target: first,
    oid: second,
    labels: ["light"],
  }),
  steps: [
    {
      type: "edit",
      body: () => ({ title: "A brighter lamp", target: "delegates" }),
      shows: "A brighter lamp",
    },
    { type: "label", body: () => ({ labels: ["power"] }), shows: "power", hides: "light" },
    { type: "assign", body: ({ node }) => ({ assignees: [`did:key:${node}`] }) },
    { type: "lifecycle", body: () => ({ state: { status: "draft" } }), shows: "draft" },
    { type: "lifecycle", body: () => ({ state: { status: "archived" } }), shows: "archived" },
    { type: "lifecycle", body: () => ({ state: { status: "open" } }), shows: "open" },
    {
      type: "revision",
      as: "revision",
      body: ({ first, second }) => ({ description: "Brighter", base: first, oid: second }),
    },
    {
      type: "revision.edit",
      body: ({ revision }) => ({ revision, description: "Brighter still", embeds: EMBEDS }),
    },
    {
      type: "revision.edit",
      body: ({ object }) => ({ revision: object, description: "It is very bright." }),
      shows: "It is very bright.",
    },
    {
      type: "revision.react",
      body: (ids) => ({ revision: ids["revision"], reaction: "✨", active: true, location: place(ids) }),
    },
    { type: "revision.react", body: ({ object }) => ({ revision: object, reaction: "🌱", active: true }) },
    { type: "revision.react", body: ({ object }) => ({ revision: object, reaction: "🌱", active: false }) },
    {
      type: "revision.comment",
      as: "comment",
      body: (ids) => ({ revision: ids["revision"], body: "How bright?", location: place(ids) }),
    },
    {
      type: "revision.comment",
      as: "slip",
      body: ({ revision, comment }) => ({ revision, body: "Oops", replyTo: comment, embeds: EMBEDS }),
    },
    {
      type: "revision.comment.edit",
      body: ({ revision, comment }) => ({ revision, comment, body: "How bright is it?", embeds: EMBEDS }),
    },
    {
      type: "revision.comment.react",
      body: ({ revision, comment }) => ({ revision, comment, reaction: "✨", active: true }),
    },
    { type: "revision.comment.redact", body: ({ revision, slip }) => ({ revision, comment: slip }) },
    {
      type: "review",
      as: "review",
      body: ({ revision }) => ({ revision, summary: "Bright enough", verdict: "reject", labels: ["x"] }),
    },
    {
      type: "review.comment",
      as: "note",
      body: (ids) => ({ review: ids["review"], body: "A note", location: place(ids), embeds: EMBEDS }),
    },
    {
      type: "review.comment",
      as: "reply",
      body: ({ review, note }) => ({ review, body: "A reply", replyTo: note }),
    },
    {
      type: "review.comment.edit",
      body: ({ review, note }) => ({ review, comment: note, body: "A better note", embeds: [] }),
    },
    {
      type: "review.comment.react",
      body: ({ review, note }) => ({ review, comment: note, reaction: "✨", active: true }),
    },
    { type: "review.comment.resolve", body: ({ review, note }) => ({ review, comment: note }) },
    { type: "review.comment.unresolve", body: ({ review, note }) => ({ review, comment: note }) },
    { type: "review.comment.resolve", body: ({ review, reply }) => ({ review, comment: reply }) },
    { type: "review.comment", as: "stray", body: ({ review }) => ({ review, body: "A slip" }) },
    { type: "review.comment.redact", body: ({ review, stray }) => ({ review, comment: stray }) },
    {
      type: "review.edit",
      body: ({ review }) => ({ review, summary: "Bright indeed", verdict: "accept" }),
    },
    { type: "review", as: "hasty", body: ({ object }) => ({ revision: object, verdict: "reject" }) },
    { type: "review.redact", body: ({ hasty }) => ({ review: hasty }) },
    {
      type: "revision",
      as: "third",
      body: ({ first, second }) => ({ description: "Too bright", base: first, oid: second }),
    },
    { type: "revision.redact", body: ({ third }) => ({ revision: third }) },
    { type: "merge", body: ({ revision, first }) => ({ revision, commit: first }), shows: "merged" },
  ],
};

/** An issue and a patch that everything is done to. */
export const HISTORIES: readonly History[] = [ISSUE, PATCH];

/** An issue and a patch to which today's clients do what programs of 2024 do not know. */
export const LATER_HISTORIES: readonly History[] = [
  {
    ...ISSUE,
    steps: [
      {
        type: "comment",
        as: "comment",
        body: ({ object }) => ({ body: "It melts.", replyTo: object, embeds: EMBEDS }),
        shows: "It melts.",
      },
      {
        type: "comment.react",
        body: ({ comment }) => ({ id: comment, reaction: "\u{1fae0}", active: true }),
      },
    ],
  },
  {
    ...PATCH,
    steps: [
      {
        type: "edit",
        body: () => ({ title: "A lamp for the shed", target: { branch: "next" } }),
        shows: "A lamp for the shed",
      },
      {
        type: "review",
        as: "review",
        body: ({ object }) => ({ revision: object, summary: "Dim", verdict: "reject" }),
      },
      {
        type: "review.edit.v2",
        body: ({ review }) => ({ review, summary: "Rather dim", verdict: "reject", embeds: EMBEDS }),
      },
      { type: "review.react", body: ({ review }) => ({ review, reaction: "✨", active: true }) },
      { type: "review.react", body: ({ review }) => ({ review, reaction: "\u{1fae0}", active: true }) },
      { type: "review.react", body: ({ review }) => ({ review, reaction: "✨", active: false }) },
      {
        type: "review.comment",
        as: "note",
        body: (ids) => ({ review: ids["review"], body: "A note", location: place(ids) }),
      },
      {
        type: "revision",
        as: "revision",
        body: ({ first, second, review, note }) => ({
          description: "Brighter",
          base: first,
          oid: second,
          resolves: [[review, note]],
        }),
      },
      {
        type: "revision.react",
        body: (ids) => ({
          revision: ids["revision"],
          reaction: "\u{1fac0}",
          active: true,
          location: place(ids),
        }),
      },
      {
        type: "review.edit.v2",
        body: ({ review }) => ({ review, verdict: "accept", labels: ["bright"] }),
      },
      { type: "merge", body: ({ revision, second }) => ({ revision, commit: second }), shows: "merged" },
    ],
  },
];

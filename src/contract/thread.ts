/** Schemas of comments and their parts (2.10 to 2.12). */
import * as v from "valibot";
import { Count, Did, list, Mark, NodeId, Oid, pair, Time } from "./values.ts";

/** The author of an action. */
export const Author = v.object({
  id: Did,
  alias: v.exactOptional(v.pipe(v.string(), v.description("Alias of the node, if it is known."))),
});

/** A file that is attached to a text. */
export const Embed = v.object({
  name: v.string(),
  content: v.pipe(v.string(), v.description("`git:` and the object id of a blob.")),
});

/** A version of a text. */
export const Edit = v.object({ author: Author, body: v.string(), timestamp: Time, embeds: list(Embed) });

const Range = v.object({ start: Count, end: Count });

/** A range of lines, or of characters in a line. `end` is exclusive. */
export const CodeRange = v.variant("type", [
  v.object({ type: v.literal("lines"), range: Range }),
  v.object({ type: v.literal("chars"), line: Count, range: Range }),
]);

export const CodeLocation = v.object({
  commit: Oid,
  path: v.string(),
  old: v.nullable(CodeRange),
  new: v.nullable(CodeRange),
});

/** An emoji, and all nodes that have reacted with this emoji. */
export const ReactionGroup = v.object({ emoji: v.string(), authors: list(NodeId) });

/** Reactions: a list of pairs (node and emoji), or with the option `--answers objects`, a list of groups. */
export const Reactions = v.union([list(pair(NodeId, v.string())), list(ReactionGroup)]);

const text = {
  body: v.string(),
  edits: v.pipe(list(Edit), v.description("All versions, including the first one.")),
  embeds: list(Embed),
  reactions: Reactions,
  timestamp: Time,
  replyTo: v.nullable(Oid),
  location: v.exactOptional(v.pipe(v.nullable(CodeLocation), v.description("Only in patches."))),
  resolved: v.boolean(),
  truncated: Mark,
};

export const Comment = v.object({ id: Oid, author: Author, ...text });

/** A comment of a review, without its id, because the response has pairs of an id and a comment. */
export const ReviewComment = v.object({ author: NodeId, ...text });

export type Author = v.InferOutput<typeof Author>;
export type Edit = v.InferOutput<typeof Edit>;
export type Reactions = v.InferOutput<typeof Reactions>;
export type Comment = v.InferOutput<typeof Comment>;
export type ReviewComment = v.InferOutput<typeof ReviewComment>;

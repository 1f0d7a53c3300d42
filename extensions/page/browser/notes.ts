/**
 * Converts comments of issues, patches and reviews to one format (notes), because the API has several
 * formats.
 */
import type { CodeLocation, Comment, ReactionGroup, Reactions, Review } from "../../../src/client/mod.ts";

/** A comment, with its reactions grouped by emoji. */
export type Note = Omit<Comment, "reactions"> & { readonly reactions: readonly ReactionGroup[] };

/** A comment, or another text with the given members of a comment. */
type Written = Pick<Comment, "id" | "author" | "body" | "timestamp"> & Partial<Comment>;

export function noteOf(written: Written): Note {
  const nothing = { edits: [], embeds: [], replyTo: null, resolved: false };
  return { ...nothing, ...written, reactions: groupReactions(written.reactions ?? []) };
}

/**
 * Returns the comments of a review as notes.
 *
 * @param aliases Aliases of people by their DIDs. Some responses contain only the DIDs.
 */
export function reviewNotes({ comments }: Review, aliases: ReadonlyMap<string, string>): readonly Note[] {
  return comments.map((comment) => {
    if ("id" in comment) return noteOf(comment);
    const [id, { author, ...rest }] = comment;
    const did = `did:key:${author}`;
    const alias = aliases.get(did);
    return noteOf({ ...rest, id, author: { id: did, ...(alias !== undefined && { alias }) } });
  });
}

/** Groups reactions by emoji. */
export function groupReactions(reactions: Reactions): readonly ReactionGroup[] {
  const pairs = [...reactions].flatMap((reaction) =>
    "emoji" in reaction ? reaction.authors.map((author) => [author, reaction.emoji] as const) : [reaction]
  );
  const byEmoji = Map.groupBy(pairs, ([, emoji]) => emoji);
  return [...byEmoji].map(([emoji, pairs]) => ({ emoji, authors: pairs.map(([author]) => author) }));
}

/** A comment with all its replies, in chronological order. */
export interface Thread {
  readonly first: Note;
  readonly replies: readonly Note[];
}

/**
 * Groups comments into threads, in the order of their first comments. Replies to replies are not nested,
 * because a hostile author could nest any number of replies.
 *
 * @param root Id of a comment that is shown elsewhere. Each reply to this comment begins a thread.
 */
export function threadsOf(notes: readonly Note[], root?: string): readonly Thread[] {
  const byId = new Map(notes.map((note) => [note.id, note]));
  const firsts = new Map<string, string>();
  const firstOf = (note: Note): string => {
    const path = new Set<string>();
    let current = note;
    let first = firsts.get(note.id);
    while (first === undefined) {
      path.add(current.id);
      const { replyTo } = current;
      const parent = replyTo === null || replyTo === root ? undefined : byId.get(replyTo);
      first = parent === undefined || path.has(parent.id) ? current.id : firsts.get(parent.id);
      current = parent ?? current;
    }
    for (const id of path) firsts.set(id, first);
    return first;
  };
  const threads = Map.groupBy(notes.filter(({ id }) => id !== root), firstOf);
  return [...threads].map(([first, notes]) => ({
    first: byId.get(first)!,
    replies: notes.filter(({ id }) => id !== first),
  }));
}

/** Returns the line below which a comment is shown: the last line of its range. */
export function lineOf({ old, new: now }: CodeLocation): readonly ["old" | "new", number] | undefined {
  const range = now ?? old;
  if (range === null || range === undefined) return undefined;
  const side = now ? "new" : "old";
  // The end of a range of lines is exclusive.
  return range.type === "chars"
    ? [side, range.line]
    : [side, Math.max(range.range.start, range.range.end - 1)];
}

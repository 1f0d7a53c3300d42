/** Reactions: one emoji of one node, at most once each. */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";

/** Characters that programs have taken for reactions since 2024 or before, as ranges of code points. */
const FIRST_RANGES = [[0x2700, 0x27bf], [0x1f300, 0x1f5ff], [0x1f600, 0x1f64f], [0x1f680, 0x1f6ff], [
  0x1f900,
  0x1f9ff,
]] as const;
/** Those that came with release 1.2 (2025). */
const LATER_RANGES = [[0x1fa75, 0x1fa77], [0x1fac0, 0x1fac6], [0x1fae0, 0x1faf8]] as const;

/** Exactly one character of the known ranges: no variation selector, no skin tone, no sequence. */
export const Emoji = v.pipe(
  v.string(),
  v.check(
    (text) => isSingle(text) && (isIn(FIRST_RANGES, text) || isIn(LATER_RANGES, text)),
    "Expected one emoji",
  ),
);

/** Whether an emoji is one that programs of 2024 take, too. */
export function isFirstEmoji(emoji: string): boolean {
  return isIn(FIRST_RANGES, emoji);
}

/** A set of reactions in ascending order of keys, then code points; each as the node's id followed by the emoji. */
export type Reactions = readonly string[];

/** Characters in the text of every node id. */
const NID_LENGTH = 48;

/** The set with a reaction added (`active`) or taken away. */
export function react(reactions: Reactions, author: NodeId, emoji: string, active: boolean): Reactions {
  const reaction = author + emoji;
  const place = findPlace(reactions, reaction);
  if ((reactions[place] === reaction) === active) return reactions;
  return active ? reactions.toSpliced(place, 0, reaction) : reactions.toSpliced(place, 1);
}

/**
 * An emoji that a node has not given, known to all programs: taking it away changes nothing. If it has given all, taking away the first does.
 */
export function absentReaction(reactions: Reactions, author: NodeId): string {
  const [[first, last]] = FIRST_RANGES;
  const all = Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));
  return all.find((emoji) => !reactions.includes(author + emoji)) ?? all[0]!;
}

/** The reactions of a set as pairs. */
export function reactionPairs(reactions: Reactions): [author: NodeId, emoji: string][] {
  return reactions.map((text) => [text.slice(0, NID_LENGTH) as NodeId, text.slice(NID_LENGTH)]);
}

/** The reactions of a set by emoji, in ascending order of code points; the authors of each in ascending order of keys. */
export function reactionGroups(reactions: Reactions): { emoji: string; authors: NodeId[] }[] {
  const groups = new Map<string, NodeId[]>();
  for (const [author, emoji] of reactionPairs(reactions)) {
    groups.set(emoji, [...groups.get(emoji) ?? [], author]);
  }
  return [...groups].sort(([a], [b]) => a.codePointAt(0)! - b.codePointAt(0)!)
    .map(([emoji, authors]) => ({ emoji, authors }));
}

/** Where a reaction is, or would be. Emojis of two units sort after those of one in either encoding, so plain text order is right. */
function findPlace(reactions: Reactions, reaction: string): number {
  let [low, high] = [0, reactions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reactions[middle]! < reaction) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSingle(text: string): boolean {
  const point = text.codePointAt(0);
  return point !== undefined && String.fromCodePoint(point) === text;
}

function isIn(ranges: readonly (readonly [number, number])[], text: string): boolean {
  const point = text.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => point >= first && point <= last);
}

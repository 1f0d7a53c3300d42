/**
 * Reactions: emojis given by nodes. A node can give each emoji only once to a comment, a review or a code
 * location.
 */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import { Text } from "../entry/fields.ts";
import { listOf } from "../entry/state_forms.ts";

/** Emojis that the Radicle programs of February 2024 accept, as ranges of code points. */
const FIRST_RANGES = [[0x2700, 0x27bf], [0x1f300, 0x1f5ff], [0x1f600, 0x1f64f], [0x1f680, 0x1f6ff], [
  0x1f900,
  0x1f9ff,
]] as const;
/** Emojis that release 1.2 (2025) of the Radicle programs added. */
const LATER_RANGES = [[0x1fa75, 0x1fa77], [0x1fac0, 0x1fac6], [0x1fae0, 0x1faf8]] as const;

/**
 * Schema of an emoji: one character in the known ranges, without a variation selector, skin tone or sequence.
 */
export const Emoji = v.pipe(
  v.string(),
  v.check(
    (text) => isSingle(text) && (isIn(FIRST_RANGES, text) || isIn(LATER_RANGES, text)),
    "Expected one emoji",
  ),
);

/**
 * Schema of an emoji as clients send it. Keyboards and browsers append a variation selector to some emojis,
 * to display them in colour or as text. The schema removes the selector, because the Radicle programs store
 * one character.
 */
export const SentEmoji = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/^(.)[\ufe0e\ufe0f]$/u, "$1")),
  Emoji,
);

/**
 * Returns a regular expression that matches an emoji as clients send it: one that the Radicle programs of
 * 2024 accept (`early`), or any known emoji (`all`).
 */
export function emojiPattern(which: "early" | "all"): string {
  const ranges = which === "early" ? FIRST_RANGES : [...FIRST_RANGES, ...LATER_RANGES];
  const set = ranges.map(([first, last]) => String.fromCodePoint(first) + "-" + String.fromCodePoint(last));
  return `^[${set.join("")}][\ufe0e\ufe0f]?$`;
}

export function isFirstEmoji(emoji: string): boolean {
  return isIn(FIRST_RANGES, emoji);
}

/**
 * Schema of a set of reactions. Each reaction is a node id followed by an emoji. The set is in ascending
 * order of node ids, then of emojis.
 */
export const Reactions = listOf(Text);

export type Reactions = readonly string[];

const NID_LENGTH = 48;

/** Returns the set with a reaction added if `active` is true, or removed otherwise. */
export function react(reactions: Reactions, author: NodeId, emoji: string, active: boolean): Reactions {
  const reaction = author + emoji;
  const place = findPlace(reactions, reaction);
  if ((reactions[place] === reaction) === active) return reactions;
  return active ? reactions.toSpliced(place, 0, reaction) : reactions.toSpliced(place, 1);
}

/**
 * Returns an emoji that all Radicle programs accept and that `author` has not given. If the author has given
 * all emojis, the first emoji is returned.
 */
export function absentReaction(reactions: Reactions, author: NodeId): string {
  const [[first, last]] = FIRST_RANGES;
  const all = Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));
  return all.find((emoji) => !reactions.includes(author + emoji)) ?? all[0]!;
}

export function reactionPairs(reactions: Reactions): [author: NodeId, emoji: string][] {
  return reactions.map((text) => [text.slice(0, NID_LENGTH) as NodeId, text.slice(NID_LENGTH)]);
}

/**
 * Groups the reactions of a set by emoji, in ascending order of code points. The authors of an emoji are in
 * ascending order of their ids.
 */
export function reactionGroups(reactions: Reactions): { emoji: string; authors: NodeId[] }[] {
  const groups = new Map<string, NodeId[]>();
  for (const [author, emoji] of reactionPairs(reactions)) {
    groups.set(emoji, [...groups.get(emoji) ?? [], author]);
  }
  return [...groups].sort(([a], [b]) => a.codePointAt(0)! - b.codePointAt(0)!)
    .map(([emoji, authors]) => ({ emoji, authors }));
}

/**
 * Returns the index of a reaction in the set, or the index at which to insert it. Text is compared by UTF-16
 * units. For the known emojis, this gives the order of their code points.
 */
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

/** Converts answers of other releases into the form of ours. */
import { isList, isObject, itemsOf, type Json, type JsonObject, membersOf, objectOf } from "./json.ts";
import { isPrivate, PAGE } from "./sample.ts";

/** Both answers in one form; `undefined` when they have one already, or a form is unknown. */
export type Alike = (theirs: Json, ours: Json) => readonly [theirs: Json, ours: Json] | undefined;

/** A page of history: 0.10 answers only commits. */
export const historyAlike: Alike = (theirs, ours) => {
  if (!isList(theirs) || !isObject(ours)) return undefined;
  return [theirs, itemsOf(ours["commits"]).map((one) => membersOf(one)["commit"] ?? null)];
};

const KINDS = ["added", "deleted", "moved", "copied", "modified"];
const NO_LINES = objectOf([
  ["type", "plain"],
  ["hunks", []],
  ["stats", objectOf([["additions", 0], ["deletions", 0]])],
  ["eof", "noneMissing"],
]);

/** A diff: 0.10 has one list of files instead of one for each kind of change. */
export const diffAlike: Alike = (theirs, ours) => {
  const { diff } = membersOf(theirs);
  const { files, stats } = membersOf(diff);
  if (!isList(files)) return undefined;
  const lists = KINDS.map((kind): readonly [string, Json] => [
    kind,
    files.filter((file) => membersOf(file)["state"] === kind).map((file) => withLines(kind, membersOf(file))),
  ]);
  return [withMember(theirs, "diff", objectOf([...lists, ["stats", stats]])), ours];
};

/** A change without lines becomes a plain diff without hunks, and an exact copy shows both sides. */
function withLines(kind: string, { state: _, ...change }: JsonObject): Json {
  const { current, ...rest } = change;
  if (kind === "copied" && current !== undefined) {
    return objectOf(Object.entries({ ...rest, old: current, new: current, diff: NO_LINES }));
  }
  const { type } = membersOf(change["diff"] ?? NO_LINES);
  return objectOf(Object.entries(type === "plain" ? change : { ...change, diff: NO_LINES }));
}

/** Issues and patches: reactions, comments of reviews, and how nodes are named. */
export const objectsAlike: Alike = (theirs, ours) => [plainObject(theirs), plainObject(ours)];

/** A part of an issue or patch in a form that both releases share. */
function plainObject(value: Json): Json {
  if (isList(value)) return value.map(plainObject);
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value).map(([name, member]): readonly [string, Json | undefined] => {
      if (member === undefined || name === "location" && member === null) return [name, undefined];
      if (name === "reactions") return [name, itemsOf(member).flatMap(reactionsOf).sort()];
      if (name === "assignees") return [name, itemsOf(member).map(nodeOf)];
      if (name === "comments") return [name, itemsOf(member).map((one) => plainObject(commentOf(one)))];
      return [name, plainObject(member)];
    }),
  );
}

/** The reactions of a pair, or of all nodes with one emoji, as one text each. */
function reactionsOf(reaction: Json): readonly string[] {
  if (isList(reaction)) return [`${nodeOf(reaction[0])} ${String(reaction[1])}`];
  const { emoji, authors, location = null } = membersOf(reaction);
  const place = location === null ? "" : ` ${JSON.stringify(location)}`;
  return itemsOf(authors).map((author) => `${nodeOf(author)} ${String(emoji)}${place}`);
}

/** A comment of a review: either one object, or a pair of id and the rest with a bare node id as author. */
function commentOf(comment: Json): Json {
  const [id, rest] = isList(comment) ? [comment[0], membersOf(comment[1])] : [undefined, membersOf(comment)];
  return objectOf([["id", id], ...Object.entries(rest), ["author", nodeOf(rest["author"])]]);
}

/** The id of a node in any of its forms. */
function nodeOf(node: Json | undefined): string {
  const id = isObject(node) ? node["id"] : node;
  return typeof id === "string" ? id.replace(/^did:key:/, "") : "";
}

/**
 * Lists of items with ids, of which one service may lack some: removes these from the other list. When a page is
 * full, either list may have items that are on another page of the other service. The order counts.
 */
export function listsAlike(mayLack: "theirs" | "ours"): Alike {
  return (theirs, ours) => {
    if (!isList(theirs) || !isList(ours)) return undefined;
    const theirIds = new Set(theirs.map(idOf));
    const ourIds = new Set(ours.map(idOf));
    const left = mayLack === "ours" || ours.length >= PAGE
      ? theirs.filter((one) => ourIds.has(idOf(one)))
      : theirs;
    const right = mayLack === "theirs" || theirs.length >= PAGE
      ? ours.filter((one) => theirIds.has(idOf(one)))
      : ours;
    return [left, right];
  };
}

/** The id of an item, which may be just an id. */
function idOf(item: Json): Json | undefined {
  return isObject(item) ? item["id"] ?? item["rid"] : item;
}

/** Lists of repositories, without their private ones. */
export const publicAlike: Alike = (theirs, ours) => {
  if (!isList(theirs)) return undefined;
  return [theirs.filter((one) => !isPrivate(one)), ours];
};

/** Seeding policies in the form of version 1 when ours have it: today's service nests them. */
export const policiesAlike: Alike = (theirs, ours) => {
  if (!isList(theirs) || itemsOf(ours).some((one) => "rid" in membersOf(one))) return undefined;
  const flat = theirs.map((one) => {
    const { rid, policy } = membersOf(one);
    return isObject(policy) ? objectOf([...Object.entries(policy), ["id", rid]]) : one;
  });
  return [flat, ours];
};

/** A list in random order. */
export const sortedAlike: Alike = (theirs, ours) => {
  if (!isList(theirs) || !isList(ours)) return undefined;
  return [theirs.map(String).sort(), ours.map(String).sort()];
};

/** A copy of an object with another value for a member. */
function withMember(value: Json, name: string, member: Json): Json {
  return objectOf([...Object.entries(membersOf(value)), [name, member]]);
}

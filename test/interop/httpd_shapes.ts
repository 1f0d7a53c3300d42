/**
 * Brings answers of `radicle-httpd` 0.10.0 into the shape that we serve, and ours next to it, so that the two can be compared for equality.
 * Every function names one known change between the service of early 2024, whose API v1 we serve, and 0.10.0; all else has to be equal.
 */

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
type JsonObject = { [member: string]: Json };

/**
 * A repository: 0.10.0 adds the threshold and the aliases of delegates, ours has `trackings` as the specification of the
 * older service says.
 */
export function comparableInfo(info: Json): Json {
  const { threshold: _1, trackings: _2, ...rest } = asObject(info);
  const ids = asArray(rest["delegates"]).map((one) =>
    typeof one === "string" ? one : asObject(one)["id"] ?? null
  );
  return { ...rest, delegates: ids };
}

/** A page of history: a list of commits in 0.10.0, an object with commits, their diffs and statistics in ours. */
export function comparableHistory(history: Json): Json {
  if (Array.isArray(history)) return history;
  return asArray(asObject(history)["commits"]).map((one) => asObject(one)["commit"] ?? null);
}

/** A level of a tree: 0.10.0 adds the object id of every entry and leaves out the statistics. */
export function comparableTree(tree: Json): Json {
  const { stats: _, entries, ...rest } = asObject(tree);
  return { ...rest, entries: asArray(entries).map((one) => without(one, "oid")) };
}

/** A commit with its diff, or a diff: the lists by kind of change are one list in 0.10.0. */
export function comparableDiff(answer: Json): Json {
  const body = asObject(answer);
  return {
    ...body,
    diff: "files" in asObject(body["diff"]) ? diffByKind(body["diff"]) : body["diff"] ?? null,
  };
}

const KINDS = ["added", "deleted", "moved", "copied", "modified"];
const NO_LINES: JsonObject = {
  type: "plain",
  hunks: [],
  stats: { additions: 0, deletions: 0 },
  eof: "noneMissing",
};

function diffByKind(diff: Json | undefined): Json {
  const { files, stats } = asObject(diff);
  const lists = KINDS.map((kind) => {
    const changes = asArray(files).filter((file) => asObject(file)["state"] === kind);
    return [kind, changes.map((file) => withLines(kind, without(file, "state")))];
  });
  return { ...Object.fromEntries(lists), stats: stats ?? null };
}

/** A change without lines is a `plain` diff without hunks in ours, and an exact copy shows both sides; 0.10.0 has a short form for each. */
function withLines(kind: string, change: JsonObject): JsonObject {
  const { current, ...rest } = change;
  if (kind === "copied" && current !== undefined) {
    return { ...rest, old: current, new: current, diff: NO_LINES };
  }
  const type = "diff" in change ? asObject(change["diff"])["type"] : "plain";
  return type === "plain" ? change : { ...change, diff: NO_LINES };
}

function without(value: Json, member: string): JsonObject {
  const { [member]: _, ...rest } = asObject(value);
  return rest;
}

function asObject(value: Json | undefined): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`Expected an object, got ${JSON.stringify(value)}`);
  }
  return value;
}

function asArray(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new TypeError(`Expected a list, got ${JSON.stringify(value)}`);
  return value;
}

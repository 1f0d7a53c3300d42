/**
 * The log in the cache folder, so that readers go on where they were when the service starts again. What has
 * changed meanwhile is told by the states of the repositories, which are saved with it.
 */
import * as v from "valibot";
import { EVENT_TYPES, type EventType } from "../contract/queries.ts";
import { type RepoId, tryParseRid } from "../ids/rid.ts";
import type { Task } from "../scheduling/task.ts";
import { TextDigest } from "../text/digest.ts";
import type { LogState } from "./log.ts";
import type { RepositoryState } from "./states.ts";

/** Raised when the form changes. */
const FORMAT = 1;
/** Most characters of events that are saved. */
export const MAX_SAVED_LENGTH = 2 ** 18;
/** Longest file that is read, in bytes. */
export const MAX_FILE_BYTES = 2 ** 22;
/** Lines between two pauses: below a millisecond. */
const LINES_AT_ONCE = 256;

/** Content of the file. */
export interface SavedLog {
  readonly log: LogState;
  readonly states: readonly (readonly [rid: RepoId, state: Pick<RepositoryState, "isPublic" | "digest">])[];
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Rid = v.pipe(v.string(), v.custom<RepoId>((text) => tryParseRid(text as string) === text));
const Head = v.strictObject({
  format: v.literal(FORMAT),
  runs: v.pipe(v.array(v.strictObject({ name: v.string(), first: count, last: count })), v.minLength(1)),
  events: count,
});
const Event = v.strictTuple([
  v.picklist<readonly EventType[]>([...EVENT_TYPES, "reset"]),
  v.nullable(Rid),
  v.picklist(["all", "owner", "strangers"]),
  v.string(),
]);
const State = v.strictTuple([Rid, v.boolean(), v.string()]);

/** The bytes of a file. */
export async function encodeLog(
  { log: { runs, events }, states }: SavedLog,
  task: Task,
): Promise<Uint8Array> {
  const lines = [JSON.stringify({ format: FORMAT, runs, events: events.length })];
  for (const { type, rid, audience, block } of events) {
    lines.push(JSON.stringify([type, rid ?? null, audience, block]));
    await task.yield();
  }
  for (const [rid, { isPublic, digest }] of states) lines.push(JSON.stringify([rid, isPublic, digest]));
  return new TextEncoder().encode([await digestOf(lines, task), ...lines].join("\n"));
}

/** Reads a file; `undefined` when it is damaged or of another form. */
export async function decodeLog(bytes: Uint8Array, task: Task): Promise<SavedLog | undefined> {
  if (bytes.length > MAX_FILE_BYTES) return undefined;
  const [digest, ...lines] = new TextDecoder().decode(bytes).split("\n");
  if (await digestOf(lines, task) !== digest) return undefined;
  try {
    const head = v.parse(Head, JSON.parse(lines[0] ?? ""));
    const events = [];
    const states = [];
    for (const [i, line] of lines.slice(1).entries()) {
      if (i % LINES_AT_ONCE === 0) await task.yield();
      const parsed: unknown = JSON.parse(line);
      if (i < head.events) {
        const [type, rid, audience, block] = v.parse(Event, parsed);
        events.push({ type, rid: rid ?? undefined, audience, block });
      } else {
        const [rid, isPublic, digest] = v.parse(State, parsed);
        states.push([rid, { isPublic, digest }] as const);
      }
    }
    return { log: { runs: head.runs, events }, states };
  } catch {
    return undefined;
  }
}

async function digestOf(lines: readonly string[], task: Task): Promise<string> {
  const digest = new TextDigest();
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    digest.add(lines.slice(at, at + LINES_AT_ONCE).join("\n"));
    await task.yield();
  }
  return digest.end();
}

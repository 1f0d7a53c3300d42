/** The protocol of a node's control socket, in all generations of Radicle. */
import * as v from "valibot";
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import { tryParseRid } from "../ids/rid.ts";
import { type AskNode, NodeSocketError, type SubscribeToNode } from "../ports/node_socket.ts";
import type { ChangeListener, FetchResult, Scope } from "../ports/radicle_node.ts";

/**
 * Timeout for the status and the configuration of a node together, in milliseconds. A node replies fast,
 * because it has both in memory.
 */
export const STATUS_MS = 900;
/** Timeout for a change of a policy, in milliseconds, as in `radicle-httpd`. */
const CHANGE_MS = 9000;
/** Timeout after which the node ends a fetch without progress, in seconds (specification, 8). */
const FETCH_SECONDS = 9;
/** Timeout for the reply to a fetch, in milliseconds, which is longer than {@link FETCH_SECONDS}. */
const FETCH_ANSWER_MS = 10_000;
/** Maximum size of a reply, in bytes. This is enough for a fetch of a hundred thousand references. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Maximum number of bytes of an event that are read. The kind and the repository come before all lists of
 * references.
 */
const EVENT_START_BYTES = 1024;
/** Matches events about changed references. Nodes as old as 0.10 do not send events about local changes. */
const CHANGES = /"type":"(?:refsFetched|localRefsAnnounced)"/;

const Anything = v.looseObject({});
const Config = v.record(v.string(), v.unknown());
const Fetch: v.GenericSchema<unknown, FetchResult> = v.variant("status", [
  v.looseObject({
    status: v.literal("success"),
    updated: v.array(v.unknown()),
    namespaces: v.array(v.unknown()),
  }),
  v.looseObject({ status: v.literal("failed"), reason: v.string() }),
]);

/** Commands to a node. A command that fails rejects with a `NodeSocketError`. */
export interface Control {
  status(): Promise<void>;
  /**
   * @param timeoutMs Timeout in milliseconds: the part of {@link STATUS_MS} that is left after the status was
   * read.
   */
  config(timeoutMs: number): Promise<Readonly<Record<string, unknown>>>;
  seed(rid: RepoId, scope: Scope): Promise<void>;
  unseed(rid: RepoId): Promise<void>;
  fetch(rid: RepoId, from: NodeId): Promise<FetchResult>;
  announceRefs(rid: RepoId): Promise<void>;
  /** Reports changes until the node ends the connection or the signal is aborted. */
  watchChanges(listener: Omit<ChangeListener, "onStopped">, signal: AbortSignal): Promise<void>;
}

export function createControl(
  askNode: AskNode,
  subscribe: SubscribeToNode = () => Promise.resolve(),
): Control {
  async function ask<Schema extends v.GenericSchema>(
    command: string,
    members: object,
    schema: Schema,
    timeoutMs: number,
  ): Promise<v.InferOutput<Schema>> {
    const answer = parse(
      await askNode(lineOf(command, members), { timeoutMs, limitBytes: MAX_ANSWER_BYTES }),
    );
    // Errors are checked first, because the schema of the reply to a change also accepts an error.
    if ("error" in answer) {
      throw new NodeSocketError("refused", `The node refuses "${command}": ${String(answer.error)}`);
    }
    const checked = v.safeParse(schema, answer);
    if (!checked.success) {
      throw new NodeSocketError("broken", `The answer of the node to "${command}" has an unexpected form`);
    }
    return checked.output;
  }
  const send = async (command: string, members: object, timeoutMs: number) => {
    await ask(command, members, Anything, timeoutMs);
  };
  return {
    status: () => send("status", {}, STATUS_MS),
    config: (timeoutMs) => ask("config", {}, Config, timeoutMs),
    seed: (rid, scope) => send("seed", { rid, scope }, CHANGE_MS),
    unseed: (rid) => send("unseed", { rid }, CHANGE_MS),
    fetch: (rid, nid) =>
      ask("fetch", { rid, nid, timeout: { secs: FETCH_SECONDS, nanos: 0 } }, Fetch, FETCH_ANSWER_MS),
    announceRefs: (rid) => send("announceRefs", { rid }, CHANGE_MS),
    watchChanges: ({ onOpen, onChange }, signal) => {
      const onLine = (start: string) => {
        if (CHANGES.test(start)) onChange(tryParseRid(/"rid":"(rad:z\w+)"/.exec(start)?.[1] ?? ""));
      };
      return subscribe(lineOf("subscribe", {}), { onOpen, onLine }, {
        limitBytes: EVENT_START_BYTES,
        signal,
      });
    },
  };
}

/**
 * Creates a request as a line of JSON. Nodes until May 2024 read the command from `type`, later nodes from
 * `command`. Each node ignores the other member.
 */
function lineOf(command: string, members: object): string {
  return JSON.stringify({ type: command, command, ...members });
}

/** Parses a reply, which is always an object. */
function parse(text: string): object {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new NodeSocketError("broken", "The answer of the node is not JSON");
  }
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return answer;
  throw new NodeSocketError("broken", "The answer of the node is not an object");
}

/** The language of a node's control socket, of all its generations. */
import * as v from "valibot";
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import { type AskNode, NodeSocketError } from "../ports/node_socket.ts";
import type { FetchResult, Scope } from "../ports/radicle_node.ts";

/** How long a node may take to say that it runs, in milliseconds, and for its configuration again: both are in its memory. */
export const STATUS_MS = 2000;
/** How long it may take for a change, in milliseconds, as on the real service. */
export const CHANGE_MS = 9000;
/** How long a fetch may stand still before the node gives it up, in seconds (8). */
export const FETCH_SECONDS = 9;
/** How long a fetch is waited for, in milliseconds: the node shall be the first to give up. */
export const FETCH_ANSWER_MS = 10_000;
/** Largest answer, in bytes: a fetch of a hundred thousand references. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

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

/** What a node can be told. Every call rejects with `NodeSocketError` when nothing comes of it. */
export interface Control {
  status(): Promise<void>;
  config(): Promise<Readonly<Record<string, unknown>>>;
  seed(rid: RepoId, scope: Scope): Promise<void>;
  unseed(rid: RepoId): Promise<void>;
  fetch(rid: RepoId, from: NodeId): Promise<FetchResult>;
  announceRefs(rid: RepoId): Promise<void>;
}

/** Speaks with a node. */
export function createControl(askNode: AskNode): Control {
  async function ask<Schema extends v.GenericSchema>(
    command: string,
    members: object,
    schema: Schema,
    timeoutMs: number,
  ): Promise<v.InferOutput<Schema>> {
    // Nodes until May 2024 look for `type`, later ones for `command`; each ignores the other.
    const line = JSON.stringify({ type: command, command, ...members });
    const answer = parse(await askNode(line, { timeoutMs, limitBytes: MAX_ANSWER_BYTES }));
    // First of all: what else a change answers has no member that an error lacks.
    if ("error" in answer) {
      throw new NodeSocketError("refused", `The node refuses "${command}": ${String(answer.error)}`);
    }
    const checked = v.safeParse(schema, answer);
    if (!checked.success) {
      throw new NodeSocketError("broken", `The node answers "${command}" with something else`);
    }
    return checked.output;
  }
  const tell = async (command: string, members: object, timeoutMs: number) => {
    await ask(command, members, Anything, timeoutMs);
  };
  return {
    status: () => tell("status", {}, STATUS_MS),
    config: () => ask("config", {}, Config, STATUS_MS),
    seed: (rid, scope) => tell("seed", { rid, scope }, CHANGE_MS),
    unseed: (rid) => tell("unseed", { rid }, CHANGE_MS),
    fetch: (rid, nid) =>
      ask("fetch", { rid, nid, timeout: { secs: FETCH_SECONDS, nanos: 0 } }, Fetch, FETCH_ANSWER_MS),
    announceRefs: (rid) => tell("announceRefs", { rid }, CHANGE_MS),
  };
}

/** All that is asked here is answered with an object. */
function parse(text: string): object {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new NodeSocketError("broken", "The node answers what is not JSON");
  }
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return answer;
  throw new NodeSocketError("broken", "The node answers something else than an object");
}

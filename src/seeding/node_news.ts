/**
 * News of a running node: its event stream, which it sends on its control socket for as long as the
 * connection lasts. A node that stops ends it; one that is slow to start, or restarts, is tried again.
 */
import { type StartTimer, startUnrefTimer } from "../async/timer.ts";
import { type RepoId, tryParseRid } from "../ids/rid.ts";
import type { HearNode } from "../ports/node_socket.ts";
import type { NodeNews } from "../ports/radicle_node.ts";

/** Time between two tries to reach a stopped node, in milliseconds. */
export const RETRY_MS = 500;
/** Most bytes of an event; the events of larger ones are left out, as looks find what they are about. */
export const MAX_NEWS_BYTES = 256 * 1024;

/** Events after which references of a repository may be others; of all generations. */
const OF_REFERENCES = new Set(["refsFetched", "localRefsAnnounced"]);

/** Nodes until May 2024 read `type`, later ones `command`. */
const SUBSCRIBE = JSON.stringify({ type: "subscribe", command: "subscribe" });

/** Tells of a node from now on, first of its state. Returns a function that ends it. */
export function watchNode(
  hear: HearNode,
  tell: (news: NodeNews) => void,
  startTimer: StartTimer = startUnrefTimer,
): () => void {
  let stop: () => void = () => {};
  let state: "running" | "stopped" | undefined;
  const tellState = (now: "running" | "stopped") => {
    if (state !== now) tell({ state: now });
    state = now;
  };
  const connect = (): void => {
    let isOpen = false;
    stop = hear(SUBSCRIBE, {
      limitBytes: MAX_NEWS_BYTES,
      opened() {
        isOpen = true;
        tellState("running");
      },
      heard(line) {
        const rid = changedIn(line);
        if (rid !== undefined) tell({ rid });
      },
      ended() {
        // A node lets go of a slow reader, too: it counts as stopped only when it cannot be reached.
        if (!isOpen) tellState("stopped");
        stop = startTimer(RETRY_MS, connect);
      },
    });
  };
  connect();
  return () => stop();
}

/** The repository of which an event says that its references may be others. */
function changedIn(line: string): RepoId | undefined {
  try {
    const { type, rid } = JSON.parse(line);
    return OF_REFERENCES.has(type) && typeof rid === "string" ? tryParseRid(rid) : undefined;
  } catch {
    return undefined;
  }
}

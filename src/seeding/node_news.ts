/** News of a running node, from its events. A node that stops, or that is slow to start, is tried again. */
import { type StartTimer, startUnrefTimer } from "../async/timer.ts";
import type { NodeNews, RadicleNode } from "../ports/radicle_node.ts";

/** Time between two tries to reach a stopped node, in milliseconds. */
export const RETRY_MS = 500;

/** Tells of a node from now on, first of its state. Returns a function that ends it. */
export function watchNode(
  hearChanges: Required<RadicleNode>["hearChanges"],
  tell: (news: NodeNews) => void,
  startTimer: StartTimer = startUnrefTimer,
): () => void {
  const ending = new AbortController();
  let stopTimer: () => void = () => {};
  let state: "running" | "stopped" | undefined;
  const tellState = (now: "running" | "stopped") => {
    if (state !== now) tell({ state: now });
    state = now;
  };
  const hear = async (): Promise<void> => {
    let isOpen = false;
    await hearChanges({
      onOpen() {
        isOpen = true;
        tellState("running");
      },
      onChange: (rid) => void (rid !== undefined && tell({ rid })),
    }, ending.signal);
    if (ending.signal.aborted) return;
    // A node lets go of a slow reader, too: it counts as stopped only when it cannot be reached.
    if (!isOpen) tellState("stopped");
    stopTimer = startTimer(RETRY_MS, () => void hear());
  };
  void hear();
  return () => {
    ending.abort();
    stopTimer();
  };
}

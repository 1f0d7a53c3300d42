/** Hears a node again after it has ended the connection: it stopped, or its reader was too slow. */
import { pauseFor, type StartTimer, startUnrefTimer } from "../async/timer.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";

type HearChanges = Required<RadicleNode>["hearChanges"];

/** Time between two tries to reach a stopped node, in milliseconds. */
export const RETRY_MS = 500;

/**
 * Makes hearing go on until the signal is aborted.
 *
 * @param hearOnce Hears until the connection ends; calls `onOpen` when there is one.
 */
export function reconnecting(hearOnce: HearChanges, startTimer: StartTimer = startUnrefTimer): HearChanges {
  return async (listener, signal) => {
    while (!signal.aborted) {
      let isOpen = false;
      const onOpen = () => {
        isOpen = true;
        listener.onOpen();
      };
      await hearOnce({ ...listener, onOpen }, signal).catch(() => {});
      // A node lets go of a slow reader, too: it counts as stopped only when it cannot be reached.
      if (!isOpen && !signal.aborted) listener.onStopped();
      await pauseFor(RETRY_MS, signal, startTimer);
    }
  };
}

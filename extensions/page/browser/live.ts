/**
 * Receives live changes for all tabs of a browser. One tab listens to the service, and sends the changes to
 * the other tabs. The tabs share a lock, which browsers allow only with HTTPS or for a service on the same
 * machine. On other connections, a tab loads its data again when the visitor returns to the tab.
 */
import type { ClientEvent } from "../../../src/client/mod.ts";
import { visitor } from "./app.ts";

/**
 * Delay between a change and the refresh of a view, in milliseconds. Further changes during the delay cause
 * no further refresh.
 */
const GATHER_MS = 250;
/** Minimum interval between two refreshes of a view, in milliseconds. */
const GAP_MS = 2000;

/**
 * Name of the lock and of the channel between the tabs. The name contains the base address, because several
 * services may share one origin.
 */
const NAME = `xylem changes ${visitor.base}`;
const channel = new BroadcastChannel(NAME);
const refreshers = new Set<(event: ClientEvent) => void>();

function dispatch(event: ClientEvent): void {
  for (const refresh of refreshers) refresh(event);
}

/** Waits until no other tab listens, and then listens until this tab is closed. */
export function shareChanges(): void {
  channel.onmessage = ({ data }) => dispatch(data);
  void navigator.locks?.request(NAME, async () => {
    for await (const event of visitor.client.events()) {
      channel.postMessage(event);
      dispatch(event);
    }
  }).catch(() => {
    // The service has no live changes. Views are still refreshed when the visitor returns.
  });
}

/**
 * Calls `refresh` soon after changes of a repository, or of any repository without `rid`. Returns a function
 * that stops the calls.
 */
export function onChanges(refresh: () => void, rid?: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = -Infinity;
  const onEvent = (event: ClientEvent) => {
    const isOfOther = rid !== undefined && "rid" in event && event.rid !== undefined && event.rid !== rid;
    if (isOfOther || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      lastMs = performance.now();
      refresh();
    }, Math.max(GATHER_MS, lastMs + GAP_MS - performance.now()));
  };
  refreshers.add(onEvent);
  return () => {
    refreshers.delete(onEvent);
    clearTimeout(timer);
  };
}

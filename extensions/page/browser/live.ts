/**
 * Changes as they happen, for all tabs of a browser: one of them listens, and tells the others. Browsers let
 * pages share a lock only by HTTPS, or on the same machine; elsewhere tabs ask again when they are looked at.
 */
import type { ClientEvent } from "../../../src/client/mod.ts";
import { visitor } from "./app.ts";

/** Time for which changes are gathered, in milliseconds. */
const GATHER_MS = 250;
/** Least time between two refreshes of a view, in milliseconds. */
const GAP_MS = 2000;

/** Several services may have one origin. */
const NAME = `xylem changes ${visitor.base}`;
const channel = new BroadcastChannel(NAME);
const refreshers = new Set<(event: ClientEvent) => void>();

function tell(event: ClientEvent): void {
  for (const refresh of refreshers) refresh(event);
}

/** Has a tab listen for as long as it is open, once no other tab does. */
export function shareChanges(): void {
  channel.onmessage = ({ data }) => tell(data);
  void navigator.locks?.request(NAME, async () => {
    for await (const event of visitor.client.events()) {
      channel.postMessage(event);
      tell(event);
    }
  }).catch(() => {
    // The service has no changes to tell: views are as fresh as without them.
  });
}

/** Calls `refresh` soon after changes of a repository, or of any; returns a function that ends it. */
export function onChanges(refresh: () => void, rid?: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = -Infinity;
  const hear = (event: ClientEvent) => {
    const isOfOther = rid !== undefined && "rid" in event && event.rid !== undefined && event.rid !== rid;
    if (isOfOther || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      lastMs = performance.now();
      refresh();
    }, Math.max(GATHER_MS, lastMs + GAP_MS - performance.now()));
  };
  refreshers.add(hear);
  return () => {
    refreshers.delete(hear);
    clearTimeout(timer);
  };
}

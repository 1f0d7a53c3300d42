/** Restores the scroll position when the visitor goes back. */

/**
 * Timeout for restoring the position, in milliseconds. Within this time, the view must become as long as
 * before.
 */
const RESTORE_MS = 3000;
/** Time without scrolling after which the position is stored, in milliseconds. */
const REST_MS = 100;

/** Whether the view is still too short for its stored position. */
let isGrowing = false;

/** Stores the scroll position in the history of the tab whenever the visitor scrolls. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms?: number) => {
    clearTimeout(timer);
    timer = ms === undefined ? undefined : setTimeout(note, ms);
  };
  const note = () => {
    wait();
    // While a view is being drawn, the browser scrolls to the start of the view. This position must not be
    // stored.
    if (!isGrowing) history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => wait(REST_MS), { passive: true });
  // The current history entry already belongs to the new place, so the pending position must not be stored
  // there.
  addEventListener("popstate", () => wait());
  // Stores the pending position before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
}

/**
 * Scrolls to the stored position as soon as the view is long enough. Without a stored position, scrolls to
 * the start. Call this function only when the previous view has been removed, because the previous view may
 * already be long enough.
 */
export function restoreScroll(): void {
  const y: unknown = history.state?.y;
  if (typeof y !== "number") return scrollTo(0, 0);
  const until = performance.now() + RESTORE_MS;
  const place = location.href;
  const tryIt = () => {
    const isHere = location.href === place;
    const isLongEnough = document.documentElement.scrollHeight >= y + innerHeight;
    if (isHere && isLongEnough) scrollTo(0, y);
    isGrowing = isHere && !isLongEnough && performance.now() < until;
    if (isGrowing) requestAnimationFrame(tryIt);
  };
  tryIt();
}

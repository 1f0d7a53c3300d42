/** Restores the scroll position when the visitor goes back. */

/**
 * Timeout for restoring the position, in milliseconds. If the view does not become as long as before within
 * this time, the position is not restored.
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
    // While a view is being drawn, the browser scrolls to the start of the view, and the stored position must
    // not be overwritten.
    if (!isGrowing) history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => wait(REST_MS), { passive: true });
  // The current history entry already belongs to the new place, so a position that is not stored yet must not
  // be stored in this entry.
  addEventListener("popstate", () => wait());
  // Stores a position that is not stored yet before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
}

/**
 * Scrolls to the stored position as soon as the view is long enough. If no position is stored, the view is
 * new, and the function scrolls to its start. Call this function only when the previous view has been
 * removed, because the previous view may already be long enough for the position.
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

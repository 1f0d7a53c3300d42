/** Restores the scroll position when the visitor goes back. */

/** A view may grow for this time until it is as long as before, in milliseconds. */
const RESTORE_MS = 3000;
/** The position is stored after this time without scrolling, in milliseconds. */
const REST_MS = 100;

/** Whether the view is still too short for its stored position. */
let isGrowing = false;

/** Stores the scroll position in the history of the tab. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms?: number) => {
    clearTimeout(timer);
    timer = ms === undefined ? undefined : setTimeout(note, ms);
  };
  const note = () => {
    wait();
    // While the view is being drawn it is at its start, and the stored position must stay.
    if (!isGrowing) history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => wait(REST_MS), { passive: true });
  // The current history entry already belongs to the new place, so a pending position must not be stored in
  // it.
  addEventListener("popstate", () => wait());
  // Stores the position before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
}

/**
 * Scrolls to the stored position as soon as the view is long enough, or to the start of a new view. Call this
 * only when the previous view is gone, because that one may be long enough, too.
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

/** The place on the screen: the way back leads to where the visitor was. */

/** Time for which a view may grow until it is as long as it was. */
const RESTORE_MS = 3000;
/** Time without scrolling after which the place is noted. */
const REST_MS = 100;

/** Whether the view is still too short for its noted place. */
let isGrowing = false;

/** Notes the place on the screen in the history of the tab. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms?: number) => {
    clearTimeout(timer);
    timer = ms === undefined ? undefined : setTimeout(note, ms);
  };
  const note = () => {
    wait();
    // A view that is still being drawn starts at its beginning.
    if (!isGrowing) history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => wait(REST_MS), { passive: true });
  // The entry of the history that is current now is another one than that of the place.
  addEventListener("popstate", () => wait());
  // Before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
}

/**
 * Goes to the noted place as soon as the view is long enough; to the start of a new view. To be called when
 * the view before is not shown any more, which may be long enough, too.
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

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
  const note = () => {
    clearTimeout(timer);
    timer = undefined;
    // A view that is still being drawn starts at its beginning.
    if (!isGrowing) history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(note, REST_MS);
  }, { passive: true });
  // The entry of the history that is current now is another one than that of the place.
  addEventListener("popstate", () => {
    clearTimeout(timer);
    timer = undefined;
  });
  // Before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
  restoreScroll();
}

/**
 * Goes to the noted place as soon as the view is long enough; to the start of a new view. To be called when the
 * view before is not shown any more, which may be long enough, too.
 */
export function restoreScroll(): void {
  const y: unknown = history.state?.y;
  isGrowing = typeof y === "number";
  if (typeof y !== "number") {
    scrollTo(0, 0);
    return;
  }
  const until = performance.now() + RESTORE_MS;
  const place = location.href;
  requestAnimationFrame(function tryIt() {
    const isHere = location.href === place;
    const isLongEnough = document.documentElement.scrollHeight >= y + innerHeight;
    if (isHere && isLongEnough) scrollTo(0, y);
    isGrowing = isHere && !isLongEnough && performance.now() < until;
    if (isGrowing) requestAnimationFrame(tryIt);
  });
}

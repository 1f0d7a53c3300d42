/** The place on the screen: the way back leads to where the visitor was. */

/** Time for which a view may grow until it is as long as it was. */
const RESTORE_MS = 3000;
/** Time without scrolling after which the place is noted. */
const REST_MS = 100;

/** Notes the place on the screen in the history of the tab. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = undefined;
    history.replaceState({ y: scrollY }, "");
  };
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(note, REST_MS);
  }, { passive: true });
  // Before a link is followed.
  addEventListener("click", () => timer !== undefined && note(), { capture: true });
  restoreScroll();
}

/** Goes to the noted place as soon as the view is long enough; to the start of a new view. */
export function restoreScroll(): void {
  const y: unknown = history.state?.y;
  if (typeof y !== "number") {
    scrollTo(0, 0);
    return;
  }
  const until = performance.now() + RESTORE_MS;
  const place = location.href;
  requestAnimationFrame(function tryIt() {
    if (location.href !== place) return;
    if (document.documentElement.scrollHeight >= y + innerHeight) scrollTo(0, y);
    else if (performance.now() < until) requestAnimationFrame(tryIt);
  });
}

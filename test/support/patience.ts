/**
 * How long tests wait, in milliseconds, for what happens in its own time: longer than it takes on any machine that is busy
 * with other tests, so that this ends what hangs, and nothing else.
 */
export const PATIENCE_MS = 600_000;

/** Pause between two looks, in milliseconds. */
const LOOK_MS = 10;

/** Waits for what happens in its own time. */
export async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`It did not happen: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

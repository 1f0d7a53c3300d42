/**
 * Time that tests wait for events with their own timing, in milliseconds. It is longer than such an event
 * takes on a machine that is busy with other tests, so only a test that hangs fails.
 */
export const PATIENCE_MS = 600_000;

/** Pause between two checks, in milliseconds. */
const LOOK_MS = 10;

/** Waits until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`It did not happen: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * How long tests wait, in milliseconds, for what happens in its own time: longer than it takes on any machine that is busy
 * with other tests, so that this ends what hangs, and nothing else.
 */
export const PATIENCE_MS = 600_000;

/** Has the thread that answers requests and a worker make a diff at the same time, in batches. */
import { PART_BYTES } from "./render/diff.ts";

/** Those who make batches of work. */
export interface Makers<Work, Part> {
  /** Makes a batch in this thread; `undefined` when it takes more than this thread has for it. */
  here(work: Work): Promise<Part | undefined>;
  worker(work: Work): Promise<Part>;
  /** Whether only the worker makes a batch. */
  isForWorker(work: Work): boolean;
  /** Whether this thread may take another batch. */
  mayBeHere(): boolean;
}

/**
 * Makes batches. This thread and the worker each take the next batch when they have made one. The worker
 * begins with those for it alone. Fails as soon as one of them fails.
 *
 * @returns the parts of the first batches: of all, unless these have more than {@link PART_BYTES}.
 */
export async function makeInBoth<Work, Part extends { readonly json: Uint8Array }>(
  works: readonly Work[],
  { here, worker, isForWorker, mayBeHere }: Makers<Work, Part>,
): Promise<readonly Part[]> {
  const made = works.map((): Part | undefined => undefined);
  const open = new Set(works.keys());
  /** Batches that this thread could not make. */
  const left = new Set<Work>();
  let bytes = 0;
  const next = (may: (work: Work) => boolean) => [...open].find((i) => may(works[i]!));
  async function take(which: () => number | undefined, make: (work: Work) => Promise<Part | undefined>) {
    for (let i = which(); i !== undefined && bytes < PART_BYTES; i = which()) {
      open.delete(i);
      const part = made[i] = await make(works[i]!);
      bytes += part?.json.length ?? 0;
      if (part !== undefined) continue;
      left.add(works[i]!);
      open.add(i);
    }
  }
  const isLeft = (work: Work) => left.has(work) || isForWorker(work);
  const byWorker = () => take(() => next(isLeft) ?? next(() => true), worker);
  const byThread = () => take(() => mayBeHere() ? next((work) => !isLeft(work)) : undefined, here);
  try {
    await Promise.all([byWorker(), byThread()]);
    // What this thread has left when the worker had nothing more to do.
    await byWorker();
  } finally {
    open.clear();
  }
  const end = made.indexOf(undefined);
  return made.slice(0, end < 0 ? made.length : end) as Part[];
}

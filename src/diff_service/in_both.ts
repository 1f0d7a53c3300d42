/** Has the thread that answers requests and a worker make an answer at the same time, in batches. */

/** Those who make batches of work. */
export interface Makers<Work, Part> {
  /** Makes a batch in this thread; `undefined` when it takes more than this thread has for it. */
  here(work: Work): Promise<Part | undefined>;
  worker(work: Work): Promise<Part>;
  /** Whether only the worker makes a batch. */
  isForWorker?(work: Work): boolean;
  /** Whether this thread may take another batch. */
  mayBeHere?(): boolean;
  /** Bytes of JSON above which no further batch is begun. */
  readonly enoughBytes: number;
}

/**
 * Makes batches of an answer. This thread and the worker each take the next batch when they have made one. The
 * worker begins with those for it alone. Fails as soon as one of them fails.
 *
 * @returns the parts of the first batches. When there is enough JSON, the others are missing.
 */
export async function makeInBoth<Work, Part extends { readonly json: Uint8Array }>(
  works: readonly Work[],
  { here, worker, isForWorker = () => false, mayBeHere = () => true, enoughBytes }: Makers<Work, Part>,
): Promise<readonly Part[]> {
  const made: (Part | undefined)[] = works.map(() => undefined);
  const open = new Set(works.keys());
  /** What this thread could not make. */
  const left = new Set<Work>();
  let bytes = 0;
  const next = (may: (work: Work) => boolean) => [...open].find((i) => may(works[i]!));
  const take = async (which: () => number | undefined, make: (work: Work) => Promise<Part | undefined>) => {
    for (let i = which(); i !== undefined && bytes < enoughBytes; i = which()) {
      open.delete(i);
      const part = await make(works[i]!);
      made[i] = part;
      bytes += part?.json.length ?? 0;
      if (part === undefined) {
        left.add(works[i]!);
        open.add(i);
      }
    }
  };
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
  const first = made.indexOf(undefined);
  return made.slice(0, first < 0 ? made.length : first) as Part[];
}

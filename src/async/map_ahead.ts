/** Processes several items at a time. */

/** Limits for items that are processed before the caller reads their results. */
export interface AheadLimits<R> {
  /** Maximum number of items processed at the same time. */
  readonly atOnce: number;
  /** Maximum number of items that were started and whose results were not read yet. */
  readonly items: number;
  /** Total weight of unread results at which no further item is started. */
  readonly weight: number;
  readonly weigh: (result: R) => number;
}

interface Begun<T, R> {
  readonly item: T;
  readonly result: Promise<R>;
  weight: number;
}

/**
 * Maps items, and yields each item with its result, in the order of the items. Later items are processed
 * while an item is slow. When the caller stops reading, no further item is started. The error of an item is
 * thrown when the caller reads the result of the item.
 */
export async function* mapAhead<T, R>(
  items: AsyncIterable<T>,
  limits: AheadLimits<R>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<[T, R]> {
  const iterator = items[Symbol.asyncIterator]();
  const begun: Begun<T, R>[] = [];
  let running = 0;
  let weight = 0;
  let isBeginning = false;
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  /** Called when an item was started, or when no further item will be started. */
  let whenBegun = () => {};

  async function beginSome(): Promise<void> {
    if (isBeginning) return;
    isBeginning = true;
    while (!isOver && running < limits.atOnce && begun.length < limits.items && weight <= limits.weight) {
      try {
        const next = await iterator.next();
        if (next.done) isOver = true;
        else if (!isOver) {
          const one: Begun<T, R> = { item: next.value, result: work(next.value), weight: 0 };
          begun.push(one);
          void finish(one);
        }
      } catch (error) {
        isOver = true;
        failure = { error };
      }
      whenBegun();
    }
    isBeginning = false;
  }

  async function finish(one: Begun<T, R>): Promise<void> {
    running++;
    try {
      one.weight = limits.weigh(await one.result);
      weight += one.weight;
    } catch {
      // The caller gets the error when it reads the result of the item.
    }
    running--;
    void beginSome();
  }

  try {
    for (;;) {
      void beginSome();
      while (begun.length === 0 && !isOver) await new Promise<void>((resume) => whenBegun = resume);
      const [first] = begun;
      if (first === undefined) break;
      const result = await first.result;
      begun.shift();
      weight -= first.weight;
      void beginSome();
      yield [first.item, result];
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    isOver = true;
    await iterator.return?.();
  }
}

/**
 * Processes many items, several at a time. After a failure, no further item is started, and the error is
 * thrown when all running work has ended.
 *
 * @param limit Maximum number of items processed at the same time.
 * @returns The results, in the order of the items.
 */
export async function mapAtOnce<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // All runners take items from one iterator.
  const waiting = items[Symbol.iterator]();
  let begun = 0;
  let failure: { readonly error: unknown } | undefined;
  const run = async () => {
    while (failure === undefined) {
      try {
        const next = waiting.next();
        if (next.done) return;
        const at = begun++;
        results[at] = await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, run));
  if (failure !== undefined) throw failure.error;
  return results;
}

/** Does work on items, some of them at a time, or ahead of the one who reads the results. */

/** How far the work goes ahead. */
export interface AheadLimits<R> {
  /** Items at a time. */
  readonly atOnce: number;
  /** Items that have been begun and not been read. */
  readonly items: number;
  /** Weight of the results that have not been read; no item is begun above it. */
  readonly weight: number;
  readonly weigh: (result: R) => number;
}

/** Work that has been begun. */
interface Begun<T, R> {
  readonly item: T;
  readonly result: Promise<R>;
  weight: number;
}

/**
 * Maps items, and yields each with its result, in their order. An item that takes long delays those who read,
 * not the work on the items behind it. When the reader leaves, no further item is begun. An error of an item
 * is thrown in its place.
 */
export async function* mapAhead<T, R>(
  items: AsyncIterable<T>,
  limits: AheadLimits<R>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<[T, R]> {
  const iterator = items[Symbol.asyncIterator]();
  const begun: Begun<T, R>[] = [];
  let running = 0;
  /** Weight of the results in `begun`. */
  let weight = 0;
  let isBeginning = false;
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  /** Called when an item has been begun, or none will be. */
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
      // The reader is told.
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
 * Does the same work on many items, some of them at a time.
 *
 * After a failure, no further item is begun; the failure is thrown once the work that was under way has
 * ended. So nothing goes on in the background after the call.
 *
 * @param limit Items at a time.
 * @returns The results, in the order of the items.
 */
export async function mapAtOnce<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // All runners take from one iterator.
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

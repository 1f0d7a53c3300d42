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

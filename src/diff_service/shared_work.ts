/** Work that this thread and a worker do together: each takes the next piece when it has done one. */

/** A piece of work: for anybody, or for the worker alone. */
export interface Piece {
  readonly isForAnybody: boolean;
}

/** Those who do the work. */
export interface Doers<P extends Piece, R> {
  here(piece: P): Promise<R>;
  byWorker(piece: P): Promise<R>;
  /** Whether enough has been done: no further piece is begun. Asked with each result. */
  isEnough(result: R): boolean;
}

/**
 * Does pieces of work, two at a time. This thread begins with the first ones. The worker begins with those
 * that nobody else may do, then it takes the last ones.
 *
 * @returns The results of the first pieces, up to the first one that was not begun.
 */
export async function shareWork<P extends Piece, R>(
  pieces: readonly P[],
  { here, byWorker, isEnough }: Doers<P, R>,
): Promise<readonly R[]> {
  const results: (R | undefined)[] = pieces.map(() => undefined);
  const open = new Set(pieces);
  let isOver = false;
  const work = async (next: () => P | undefined, make: (piece: P) => Promise<R>) => {
    for (let piece = next(); piece !== undefined && !isOver; piece = next()) {
      open.delete(piece);
      try {
        const result = results[pieces.indexOf(piece)] = await make(piece);
        if (isEnough(result)) isOver = true;
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  const forAnybody = () => [...open].find(({ isForAnybody }) => isForAnybody);
  const forWorker = () => [...open].find(({ isForAnybody }) => !isForAnybody) ?? [...open].at(-1);
  await Promise.all([work(forAnybody, here), work(forWorker, byWorker)]);
  const end = results.indexOf(undefined);
  return results.slice(0, end < 0 ? results.length : end) as R[];
}

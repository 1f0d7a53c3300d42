/** What follows from something that never changes: made when it is first asked for, and kept for as long as somebody has that thing. */

/** Returns what `make` makes of a thing, the same again for the same thing; `make` never returns `undefined`. */
export function derived<K extends object, V extends object | string>(make: (from: K) => V): (from: K) => V {
  const known = new WeakMap<K, V>();
  return (from) => {
    let value = known.get(from);
    if (value === undefined) known.set(from, value = make(from));
    return value;
  };
}

/**
 * Memoizes a pure function of an immutable object: the value lives as long as the object does, and counts
 * where the object is cached.
 */

/** A function that calls `make` once for each object (`WeakMap`); `make` never returns `undefined`. */
export function memoize<K extends object, V extends object | string>(make: (from: K) => V): (from: K) => V {
  const cached = new WeakMap<K, V>();
  return (from) => {
    let value = cached.get(from);
    if (value === undefined) cached.set(from, value = make(from));
    return value;
  };
}

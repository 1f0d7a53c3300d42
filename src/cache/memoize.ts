/**
 * Memoizes a pure function of an immutable object. The result lives as long as the object, and counts as a
 * part of it in the cache of the object.
 */

/** Wraps `make` so that it is called once for each object (`WeakMap`). It must not return `undefined`. */
export function memoize<K extends object, V extends object | string>(make: (from: K) => V): (from: K) => V {
  const cached = new WeakMap<K, V>();
  return (from) => {
    let value = cached.get(from);
    if (value === undefined) cached.set(from, value = make(from));
    return value;
  };
}

/** A map of bounded weight that forgets what was used least recently. */

/** A map whose entries weigh 1, or what `weigh` says, and together at most `capacity`. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #weigh: (value: V) => number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #weight = 0;

  /** `weigh` must give the same weight for a value whenever it is asked; `onEvict` is told what was dropped to make room. */
  constructor(capacity: number, weigh: (value: V) => number = () => 1, onEvict?: (value: V) => void) {
    this.#capacity = capacity;
    this.#weigh = weigh;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    for (const [oldKey, oldValue] of this.#entries) {
      if (this.#weight <= this.#capacity) break;
      this.delete(oldKey);
      this.#onEvict?.(oldValue);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** The value of a key, made and kept when it is not there. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Values from the least to the most recently used. */
  values(): IterableIterator<V> {
    return this.#entries.values();
  }
}

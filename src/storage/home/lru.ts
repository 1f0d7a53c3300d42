/** A cache with a budget of bytes. */

/** Keeps values under text keys; those unused for longest are dropped when all together need more than the budget. */
export class ByteLru<Value> {
  readonly #limitBytes: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Bytes of all values kept. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The value kept under a key, which thereby counts as the one used last. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value of that many bytes; one larger than a quarter of the budget is not kept, lest it push out all others. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes > this.#limitBytes / 4) return;
    this.#entries.set(key, { value, bytes });
    this.#usedBytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#usedBytes <= this.#limitBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#usedBytes -= entry.bytes;
  }

  clear(): void {
    this.#entries.clear();
    this.#usedBytes = 0;
  }
}

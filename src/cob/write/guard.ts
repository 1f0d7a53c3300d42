/** Looks after what was written a moment ago: other programs may still have the object in hand as it was before, and set its reference anew. */
import { startUnattendedTimer } from "../../time/unattended_timer.ts";

/** How long a written entry is looked after, in milliseconds: far longer than programs have an object in hand before they write. */
export const GUARD_MS = 5_000;
/** Time between two looks, in milliseconds. */
export const LOOK_MS = 250;
/** Objects that are looked after at a time; of more, the ones written first are let go. */
export const MAX_GUARDED = 256;

/** What can be looked after. */
export interface Guarded {
  /** Sees to it that what was written can still be found; whether it is to be looked at again. Must not reject. */
  look(): Promise<boolean>;
  /** Called once when nobody looks any more. */
  release(): void;
}

/** Runs `call` after `ms`. */
export type Later = (ms: number, call: () => void) => void;

/** Those who are looked after. Nothing runs while there are none. */
export class Guard {
  /** By the name of what is guarded, the one written first in front. */
  readonly #guarded = new Map<string, { readonly guarded: Guarded; readonly untilMs: number }>();
  readonly #now: () => number;
  readonly #later: Later;
  #isWaiting = false;

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now(), later: Later = startUnattendedTimer) {
    this.#now = now;
    this.#later = later;
  }

  /** Begins to look after something, or begins anew. */
  add(name: string, guarded: Guarded): void {
    this.#guarded.delete(name);
    this.#guarded.set(name, { guarded, untilMs: this.#now() + GUARD_MS });
    for (const oldest of this.#guarded.keys()) {
      if (this.#guarded.size <= MAX_GUARDED) break;
      this.#release(oldest);
    }
    this.#wait();
  }

  /** Looks at everything once; what was there longer than {@link GUARD_MS} is looked at for the last time. */
  async look(): Promise<void> {
    for (const [name, entry] of [...this.#guarded]) {
      const goesOn = await entry.guarded.look();
      const isOver = !goesOn || this.#now() >= entry.untilMs;
      if (isOver && this.#guarded.get(name) === entry) this.#release(name);
    }
  }

  #release(name: string): void {
    this.#guarded.get(name)?.guarded.release();
    this.#guarded.delete(name);
  }

  #wait(): void {
    if (this.#isWaiting || this.#guarded.size === 0) return;
    this.#isWaiting = true;
    this.#later(LOOK_MS, () => {
      void this.look().finally(() => {
        this.#isWaiting = false;
        this.#wait();
      });
    });
  }
}

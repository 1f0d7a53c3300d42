/** The packs of a directory. `git gc` adds and removes packs while they are being read. */
import { DamagedError } from "../../errors.ts";
import { Freshness } from "../../cache/file_freshness.ts";
import { Pack } from "./pack.ts";
import { PackGone } from "./pack_file.ts";
import type { StorageContext } from "./storage_context.ts";

/** The packs of one directory. */
export class PackList {
  readonly #directory: string;
  readonly #context: StorageContext;
  /** By name, without `.pack`. */
  #packs: ReadonlyMap<string, Pack> = new Map();
  #order: readonly Pack[] = [];
  /** All names found in the directory, unusable packs included. */
  #listed: ReadonlySet<string> = new Set();
  #freshness: Freshness | undefined;
  #memoryBytes = 0;

  /** @param directory Path of the directory; it need not exist. */
  constructor(directory: string, context: StorageContext) {
    this.#directory = directory;
    this.#context = context;
  }

  /**
   * The packs at the last refresh, in order of preference. The array stays the same when the list changes.
   */
  get packs(): readonly Pack[] {
    if (this.#freshness === undefined) this.refresh();
    return this.#order;
  }

  /** Moves a pack to the front: the next object is likely in it, too. */
  prefer(pack: Pack): void {
    if (this.#order[0] !== pack) this.#order = [pack, ...this.#order.filter((other) => other !== pack)];
  }

  /** Drops a removed pack; the next {@link refresh} reads the directory. */
  forget(pack: Pack): void {
    pack.close();
    this.#packs = new Map([...this.#packs].filter(([, other]) => other !== pack));
    this.#order = this.#order.filter((other) => other !== pack);
    this.#freshness = undefined;
  }

  /**
   * Reads the directory again, unless it is certainly unchanged. Returns whether a missing object might be
   * found now. It may also be `true` when all packs are the same, because others may have come and gone.
   */
  refresh(): boolean {
    const { fileSystem, now, logOnce } = this.#context;
    const nowMs = now();
    const stat = fileSystem.stat(this.#directory);
    const freshness = this.#freshness;
    if (freshness?.holds(stat)) return false;

    const names = this.#names();
    let hasChanged = freshness === undefined || freshness.isOver(stat) || !isEqual(names, this.#listed);
    const packs = new Map<string, Pack>();
    for (const name of names) {
      const opened = this.#packs.get(name);
      try {
        packs.set(name, opened ?? new Pack(`${this.#directory}/${name}`, this.#context));
        hasChanged ||= opened === undefined;
      } catch (error) {
        if (error instanceof DamagedError) logOnce(`Pack ${name} is not used`, error);
        else if (!(error instanceof PackGone)) throw error;
      }
    }
    for (const [name, pack] of this.#packs) if (!packs.has(name)) pack.close();
    this.#listed = names;
    this.#packs = packs;
    this.#order = [...packs.values()];
    this.#memoryBytes = this.#order.reduce((sum, pack) => sum + pack.memoryBytes, 0);
    this.#freshness = new Freshness(stat, nowMs);
    return hasChanged;
  }

  /** Number of objects in all packs. */
  get objectCount(): number {
    return this.packs.reduce((sum, { objectCount }) => sum + objectCount, 0);
  }

  /** Approximate memory of the packs' indexes, in bytes. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  close(): void {
    for (const pack of this.#packs.values()) pack.close();
  }

  /** Names of packs with an index; a pack without one is being written or removed. */
  #names(): Set<string> {
    const files = new Set(this.#context.fileSystem.list(this.#directory)?.map((entry) => entry.name));
    const names = [...files].filter((name) => name.endsWith(".pack")).map((name) =>
      name.slice(0, -".pack".length)
    );
    return new Set(names.filter((name) => files.has(name + ".idx")));
  }
}

function isEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

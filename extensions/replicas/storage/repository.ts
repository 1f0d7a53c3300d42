/** A repository that is read from a bucket, in the state of its manifest. */
import {
  type Awaitable,
  type BatchLimits,
  checkPackedSize,
  DamagedError,
  decodeDetails,
  type DerivedData,
  type GitObject,
  graphInMemory,
  type HistoryColumns,
  MAX_INDEXED_COMMITS,
  type ObjectHeader,
  type Oid,
  readBatch,
  readCommitGraph,
  type ReadLimits,
  type Ref,
  RefTable,
  type RepoId,
  type Repository,
  runSync,
  Task,
  unpackSlowly,
} from "../../../src/mod.ts";
import { derivedDataOf } from "../format/derived.ts";
import { contentKey, graphKey, sha256OfLong } from "../format/keys.ts";
import type { Manifest, PublishedDerivedFile } from "../format/manifest.ts";
import { decodeReferences } from "../format/references.ts";
import { PackSet, type PackSetContext } from "./pack_set.ts";
import { GoneError, unavailable } from "./reads.ts";

/** Maximum number of objects of a batch whose blocks are found together. */
const BATCH_OBJECTS = 512;
/**
 * Maximum number of times that a read is repeated in a newer state, because the publisher has replaced the
 * state.
 */
const MAX_REPLACED_STATES = 5;

interface State {
  readonly manifest: Manifest;
  readonly packs: PackSet;
  /** The references. If they are not in the manifest, `undefined` until they are read. */
  refs: RefTable | undefined;
  readingRefs?: Promise<RefTable>;
}

/** A repository whose references and objects are read from a bucket. */
export class BucketRepository implements Repository {
  readonly rid: RepoId;
  readonly derived: DerivedData;
  readonly #context: PackSetContext;
  /** Reads the manifest again, and calls {@link replace} if there is another state. */
  readonly #reload: () => Promise<void>;
  #state: State;

  constructor(manifest: Manifest, context: PackSetContext, reload: () => Promise<void>) {
    this.rid = manifest.rid;
    this.#context = context;
    this.#reload = reload;
    this.#state = this.#stateOf(manifest, undefined);
    this.derived = derivedDataOf(() => this.manifest, (key, file) => this.#readDerived(key, file));
  }

  get manifest(): Manifest {
    return this.#state.manifest;
  }

  /** Approximate memory use in bytes, for references and indexes. */
  get weight(): number {
    const { packs, refs, manifest } = this.#state;
    return 4096 + 200 * manifest.derived.files.length + (refs?.weight ?? 0) + packs.weight;
  }

  /** Changes to another state. The readers of packs that are in both states are reused. */
  replace(manifest: Manifest): void {
    this.#state = this.#stateOf(manifest, this.#state);
  }

  ref(name: string): Awaitable<Ref | undefined> {
    const { refs } = this.#state;
    return refs === undefined ? this.#readRefs().then((refs) => refs.get(name)) : refs.get(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    const { refs } = this.#state;
    return refs === undefined ? this.#readRefs().then((refs) => refs.list(prefix)) : refs.list(prefix);
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    return this.#reading(() => this.#state.packs.header(oid));
  }

  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    const busy = this.#context.packs.scheduler.readLater();
    if (busy !== undefined) return busy.then(() => this.object(oid, limits));
    return this.#reading(() => this.#state.packs.object(oid, limits));
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]> {
    if (oids.length < 2) return readBatch((oid) => this.object(oid, limits), oids, limits);
    return this.#reading(() => this.#objects(oids, limits));
  }

  async #objects(
    oids: readonly Oid[],
    { batchBytes = Infinity, ...limits }: BatchLimits = {},
  ): Promise<readonly (GitObject | undefined)[]> {
    const { batches, packs: { scheduler } } = this.#context;
    const objects: (GitObject | undefined)[] = [];
    let leftBytes = batchBytes;
    while (objects.length < oids.length && leftBytes > 0) {
      const part = oids.slice(objects.length, objects.length + BATCH_OBJECTS);
      const found = await batches.run(async () => {
        const { count, object } = await this.#state.packs.prefetch(part, limits);
        const read = (oid: Oid): Awaitable<GitObject | undefined> =>
          scheduler.readLater()?.then(() => read(oid)) ?? object(oid);
        return await readBatch(read, part.slice(0, count), { batchBytes: leftBytes });
      }, { keys: [this.rid] });
      for (const object of found) {
        objects.push(object);
        leftBytes -= object?.bytes.length ?? 0;
      }
    }
    return objects;
  }

  /**
   * Returns the commits of the published commit graph. Returns `undefined` when there is none, or the
   * publisher has replaced it.
   */
  async commitTable(): Promise<HistoryColumns | undefined> {
    const { rid, graph } = this.manifest;
    if (graph === null) return undefined;
    const { reads } = this.#context;
    const { name, bytes, details: { sha256, bytes: detailsBytes } } = graph;
    try {
      const [columns, packed] = await Promise.all([
        reads.part(
          graphKey(rid, name),
          { start: 0, end: bytes },
          (read, task) => readCommitGraph([{ ...graphInMemory(read), name }], MAX_INDEXED_COMMITS, task),
        ),
        reads.part(contentKey(rid, "details", sha256), { start: 0, end: detailsBytes }, async (read) => {
          if (await sha256OfLong(read) !== sha256) throw new DamagedError("Details are damaged");
          return read;
        }),
      ]);
      return { ...columns, ...await decodeDetails(packed, columns.times.length, new Task()) };
    } catch (error) {
      if (error instanceof GoneError) return undefined;
      throw error;
    }
  }

  objectsVersion(): number {
    return this.manifest.stateNumber;
  }

  #stateOf(manifest: Manifest, former: State | undefined): State {
    const { references } = manifest;
    // If the references are unchanged, the same list is returned, so that callers need not process it again.
    const isSame = former?.manifest.referencesDigest === manifest.referencesDigest;
    const refs = isSame && former?.refs !== undefined
      ? former.refs
      : typeof references === "string"
      ? new RefTable(runSync(decodeReferences(new TextEncoder().encode(references))))
      : undefined;
    return { manifest, packs: new PackSet(manifest, this.#context, former?.packs), refs };
  }

  /** Reads the references from their own object, if they are not in the manifest. */
  #readRefs(): Promise<RefTable> {
    return Promise.resolve(this.#reading(async () => {
      const state = this.#state;
      if (state.refs !== undefined) return state.refs;
      state.readingRefs ??= this.#readRefTable(state.manifest).finally(() => delete state.readingRefs);
      return state.refs = await state.readingRefs;
    }));
  }

  async #readRefTable({ rid, references }: Manifest): Promise<RefTable> {
    if (typeof references === "string") throw new TypeError("Small references are in the manifest");
    const { sha256, bytes, rawBytes } = references;
    return await this.#context.reads.part(
      contentKey(rid, "references", sha256),
      { start: 0, end: bytes },
      async (packed, task) => {
        if (await sha256OfLong(packed) !== sha256) throw new DamagedError("Published references are damaged");
        checkPackedSize(packed.length, rawBytes);
        return new RefTable(await task.run(decodeReferences(await unpackSlowly(packed, rawBytes, task))));
      },
    );
  }

  /**
   * Reads a file of derived data. Returns `undefined` when the publisher has replaced the file. The caller
   * then computes the data itself.
   */
  async #readDerived(key: string, { digest, bytes }: PublishedDerivedFile): Promise<Uint8Array | undefined> {
    try {
      return await this.#context.reads.part(key, { start: 0, end: bytes }, async (read) => {
        if (await sha256OfLong(read) !== digest) throw new DamagedError("Derived data are damaged");
        return read;
      });
    } catch (error) {
      if (error instanceof GoneError) return undefined;
      throw error;
    }
  }

  /**
   * Calls `read`. If the publisher has removed an object of this state, reads the manifest and calls `read`
   * again in the new state.
   */
  #reading<T>(read: () => Awaitable<T>): Awaitable<T> {
    const result = read();
    return result instanceof Promise ? result.catch((error) => this.#readAgain(error, read)) : result;
  }

  async #readAgain<T>(error: unknown, read: () => Awaitable<T>): Promise<T> {
    for (let tries = 0; error instanceof GoneError && tries < MAX_REPLACED_STATES; tries++) {
      const state = this.#state;
      await this.#reload();
      if (this.#state === state) throw unavailable();
      try {
        return await read();
      } catch (again) {
        error = again;
      }
    }
    throw error instanceof GoneError ? unavailable() : error;
  }
}

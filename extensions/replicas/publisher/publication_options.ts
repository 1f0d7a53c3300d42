/** Options that publications of repositories share. */
import type {
  Deflate,
  DerivedData,
  DerivedFile,
  DerivedRoot,
  Environment,
  Identities,
  Limiter,
  Repository,
  RepositoryListing,
  Storage,
  Task,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import type { UnpackBlock } from "../format/block.ts";
import type { PublishedIds } from "./published_packs.ts";

/**
 * Computes derived data.
 *
 * @param earlier The derived data of the published state; `undefined` without one.
 * @param write Called with every file that is not among the earlier ones.
 */
export type Derive = (
  repository: Repository,
  earlier: DerivedData | undefined,
  write: (file: DerivedFile) => Promise<void>,
  task: Task,
) => Promise<readonly DerivedRoot[]>;

export interface PublicationOptions {
  readonly storage: Storage;
  readonly bucket: Bucket;
  /** Whether strangers may see a repository, by its identity document, as the service reads it. */
  readonly identities: Pick<Identities, "isPublic">;
  readonly deflate: Deflate;
  readonly unpack: UnpackBlock;
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** All computation of the publisher runs in it. */
  readonly task: Task;
  /** Ids of published objects. */
  readonly ids: PublishedIds;
  /** Large publications run one after the other, because each has a pack in memory. */
  readonly large: Limiter;
  /** Computes derived data to be published; by default none is published. */
  readonly derive?: Derive | undefined;
  /** Makes the listing of a repository. Without it, lists open each repository. */
  readonly readListing?:
    | ((repository: Repository, task: Task) => Promise<RepositoryListing | undefined>)
    | undefined;
  readonly log: Environment["log"];
  /** Shows the progress of the publication. */
  readonly progress?: ((line: string | undefined) => void) | undefined;
  /** Time after which objects that nothing names are removed, in milliseconds; `GRACE_MS` by default. */
  readonly graceMs?: number | undefined;
  /** A recent time by the clock of the bucket; without it, no packs are taken over. */
  readonly bucketTimeMs?: number | undefined;
  /** Ends the publication between two calls of the bucket. */
  readonly signal?: AbortSignal | undefined;
  /** Largest pack, in bytes; `PACK_LIMIT_BYTES` by default. */
  readonly packBytes?: number | undefined;
}

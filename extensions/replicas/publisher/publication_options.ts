/** Options that all publications of repositories share. */
import type {
  Deflate,
  DerivedData,
  DerivedFile,
  DerivedRoot,
  Environment,
  Identities,
  Repository,
  RepositoryListing,
  Storage,
  Task,
  Unpack,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import type { ReadHistory } from "./graph_publication.ts";
import type { PackMaker } from "./pack_maker.ts";

/**
 * Computes derived data of a repository.
 *
 * @param earlier The derived data of the published state; `undefined` when there is no published state.
 * @param write Called with every file that is not in the earlier data.
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
  /** Checks whether a repository is public, by its identity document, in the same way as the service. */
  readonly identities: Pick<Identities, "isPublic">;
  readonly deflate: Deflate;
  readonly unpack: Unpack;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  /** The task in which all computation of the publisher runs. */
  readonly task: Task;
  readonly packMaker: PackMaker;
  /** Computes the derived data to publish. By default no derived data is published. */
  readonly derive?: Derive | undefined;
  /** Creates the listing of a repository. Without it, a list has to read each repository itself. */
  readonly readListing?:
    | ((repository: Repository, task: Task) => Promise<RepositoryListing | undefined>)
    | undefined;
  /** Reads the histories for the commit graph. By default no commit graph is published. */
  readonly readHistory?: ReadHistory | undefined;
  readonly log: Environment["log"];
  /** Shows a line about the progress of a publication; `undefined` clears the line. */
  readonly progress?: ((line: string | undefined) => void) | undefined;
  /** Time after which an object that nothing names is removed, in milliseconds; `GRACE_MS` by default. */
  readonly graceMs?: number | undefined;
  /**
   * A recent time by the clock of the bucket, in milliseconds since the epoch. It shows whether a killed
   * publisher has sent an object of the bucket recently, so that the object need not be sent again. Without
   * this time, the object is sent again.
   */
  readonly bucketTimeMs?: number | undefined;
  /** Aborts the publication between two calls of the bucket. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the publication turns out to be large, and may have to wait for other large ones. */
  readonly onLarge?: (() => void) | undefined;
}

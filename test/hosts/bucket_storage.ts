/** A storage as a user of Cloudflare would write it: repositories in a bucket of R2. */
import {
  checkObjectSize,
  type GitObject,
  type ObjectKind,
  type Oid,
  parseRid,
  type ReadLimits,
  type Ref,
  type RepoId,
  type Repository,
  type Storage,
  TooLargeError,
} from "../../mod.ts";

/** The part of a bucket that is read here, as R2 has it. */
export interface Bucket {
  head(key: string): Promise<BucketEntry | null>;
  get(key: string): Promise<BucketEntry & { arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

/** An entry without its content. */
export interface BucketEntry {
  readonly size: number;
  readonly customMetadata?: Readonly<Record<string, string>>;
}

/**
 * Repositories in a bucket: `repositories.json` lists their ids, `<rid>/refs.json` the references of one, and
 * `<rid>/objects/<oid>` holds the content of an object, with its kind as metadata.
 */
export function bucketStorage(bucket: Bucket): Storage {
  const json = async (key: string): Promise<unknown> => {
    const entry = await bucket.get(key);
    return entry === null ? [] : JSON.parse(new TextDecoder().decode(await entry.arrayBuffer()));
  };
  const repositoryIds = async () => (await json("repositories.json") as string[]).map(parseRid);
  return {
    repositoryIds,
    repository: async (rid) => (await repositoryIds()).includes(rid) ? bucketRepository(rid) : undefined,
  };

  function bucketRepository(rid: RepoId): Repository {
    let refs: Promise<Ref[]> | undefined;
    const allRefs = () => refs ??= json(`${rid}/refs.json`) as Promise<Ref[]>;
    const header = async (oid: Oid) => {
      const entry = await bucket.head(`${rid}/objects/${oid}`);
      return entry === null ? undefined : { kind: kindOf(entry), size: entry.size };
    };
    const object = async (oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> => {
      const entry = await bucket.get(`${rid}/objects/${oid}`);
      if (entry === null) return undefined;
      checkObjectSize({ kind: kindOf(entry), size: entry.size }, limits);
      return { kind: kindOf(entry), bytes: new Uint8Array(await entry.arrayBuffer()) };
    };
    return {
      rid,
      ref: async (name) => (await allRefs()).find((ref) => ref.name === name),
      refs: async (pattern) => {
        const source = pattern.replace(/[.+?$(){}|[\]\\^]/g, "\\$&").replaceAll("*", "[^/]+");
        const selected = new RegExp(`^${source}${pattern.endsWith("/") ? "." : "$"}`);
        return (await allRefs()).filter(({ name }) => selected.test(name));
      },
      header,
      object,
      objects: (oids, limits) => Promise.all(oids.map((oid) => object(oid, limits).catch(noneIfTooLarge))),
    };
  }
}

function kindOf({ customMetadata }: BucketEntry): ObjectKind {
  return customMetadata?.["kind"] as ObjectKind;
}

function noneIfTooLarge(error: unknown): undefined {
  if (!(error instanceof TooLargeError)) throw error;
}

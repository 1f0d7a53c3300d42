/**
 * The small files of a published repository that git clients read when they clone by the dumb HTTP protocol
 * (gitrepository-layout, gitprotocol-http). The other files of the clone are the packs.
 */
import { compareUtf8, isSameBytes, mapAtOnce, type Oid, type Ref, type RepoId } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { GIT_FILES, gitFileKey, type GitFileName } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import { ChangedMeanwhile, CHANGING } from "./changing_object.ts";
import { conditionOf } from "./lease.ts";

/** Target of `HEAD` in a repository without `HEAD`. */
const NO_HEAD = "refs/heads/master";
/** Maximum number of attempts of a put when its condition fails. */
const MAX_TRIES = 3;
const PACKED_REFS_HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

/** A reference to an object that exists. Symbolic references are resolved. */
export interface GitRef {
  readonly name: string;
  readonly oid: Oid;
  /** The object to which a tag object leads; absent when the reference does not point to a tag object. */
  readonly peeled?: Oid | undefined;
}

/** A state of a repository for git clients. */
export interface GitFilesState {
  /** `HEAD`, if it is shown. */
  readonly head: Ref | undefined;
  /** All references except `HEAD`. */
  readonly refs: readonly GitRef[];
  readonly packs: readonly Pick<PublishedPack, "name">[];
}

/** Returns the contents of all files. */
export function gitFiles({ head, refs, packs }: GitFilesState): Readonly<Record<GitFileName, string>> {
  const sorted = [...refs].sort((a, b) => compareUtf8(a.name, b.name));
  const packed = sorted.map(({ name, oid, peeled }) => {
    return `${oid} ${name}\n${peeled === undefined ? "" : `^${peeled}\n`}`;
  });
  const listed = sorted.map(({ name, oid, peeled }) => {
    return `${oid}\t${name}\n${peeled === undefined ? "" : `${peeled}\t${name}^{}\n`}`;
  });
  return {
    "HEAD": head?.oid === undefined ? `ref: ${head?.target ?? NO_HEAD}\n` : `${head.oid}\n`,
    "packed-refs": PACKED_REFS_HEADER + packed.join(""),
    "info/refs": listed.join(""),
    "objects/info/packs": `${packs.map(({ name }) => `P pack-${name}.pack\n`).join("")}\n`,
  };
}

/**
 * Puts the files that have changed. The list of packs is put first, because clients must find the objects of
 * every reference that they read.
 *
 * @param renewed Puts these files even if the bucket has the same content.
 * @param check Called before each put.
 * @returns The number of bytes that were sent.
 * @throws {BucketError}
 */
export async function putGitFiles(
  bucket: Bucket,
  rid: RepoId,
  state: GitFilesState,
  renewed: ReadonlySet<string>,
  check: () => Promise<void>,
): Promise<number> {
  const files = gitFiles(state);
  let sentBytes = 0;
  const put = async (name: GitFileName) => {
    const key = gitFileKey(rid, name);
    const bytes = new TextEncoder().encode(files[name]);
    for (let tries = 1;; tries++) {
      const found = await compare(bucket, key, bytes);
      if (found.isSame && !renewed.has(key)) return;
      await check();
      const stored = await bucket.put(key, bytes, {
        ...await conditionOf(bucket, found.etag),
        contentType: "text/plain; charset=utf-8",
        cacheControl: CHANGING,
      });
      if (stored !== "conflict") break;
      if (tries === MAX_TRIES) throw new ChangedMeanwhile(key);
    }
    sentBytes += bytes.length;
  };
  const others = GIT_FILES.filter((name) => name !== "objects/info/packs");
  await put("objects/info/packs");
  await mapAtOnce(others, others.length, put);
  return sentBytes;
}

/** Compares a file in the bucket with its new content. */
async function compare(
  bucket: Bucket,
  key: string,
  bytes: Uint8Array,
): Promise<{ readonly isSame: boolean; readonly etag: string | undefined }> {
  const head = await bucket.head(key);
  if (head === undefined || head.size !== bytes.length) return { isSame: false, etag: head?.etag };
  const found = await bucket.get(key);
  if (typeof found !== "object") return { isSame: false, etag: undefined };
  return { isSame: isSameBytes(found.bytes, bytes), etag: found.etag };
}

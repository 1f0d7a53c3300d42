/** Checks the files of a published repository that git clients read against its manifest. */
import { isOid, type Oid, type RepoId, type Task, type Unpack } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { GIT_FILES, gitFileKey, type GitFileName } from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import { gitFiles } from "./git_files.ts";
import { readPublishedRefs } from "./published_tips.ts";

/** Maximum size of a file for git clients, in bytes. */
const MAX_GIT_FILE_BYTES = 2 ** 29;
/** End of the names under which `info/refs` lists the objects to which tag objects lead. */
const PEELED = "^{}";

/**
 * Returns the keys of the files that do not fit the manifest. Which objects tags lead to is taken from
 * `info/refs`.
 *
 * @param oids Ids of all objects in the packs.
 * @throws {BucketError}
 */
export async function findDamagedGitFiles(
  bucket: Bucket,
  manifest: Manifest,
  oids: ReadonlySet<Oid>,
  { unpack, task }: { readonly unpack: Unpack; readonly task: Task },
): Promise<readonly string[]> {
  const { rid, packs, isIncomplete } = manifest;
  const published = await readPublishedRefs(bucket, manifest, unpack, task);
  if (published === undefined) return [];
  const listed = linesOf(await readText(bucket, rid, "info/refs"));
  const refs = [...published.resolved].flatMap(([name, oid]) => {
    // References to objects that the publisher did not have are left out.
    const isThere = oids.has(oid) && (isIncomplete !== true || listed.has(name));
    const peeled = listed.get(name + PEELED);
    return isThere ? [{ name, oid, ...(peeled !== undefined && { peeled }) }] : [];
  });
  const files = gitFiles({ head: published.head, refs, packs });
  const damaged: string[] = [];
  for (const name of GIT_FILES) {
    if (await readText(bucket, rid, name) !== files[name]) damaged.push(gitFileKey(rid, name));
  }
  return damaged;
}

/** Returns the ids in a text of `info/refs`, by names. */
function linesOf(text: string): ReadonlyMap<string, Oid> {
  const lines = new Map<string, Oid>();
  for (const line of text.split("\n")) {
    const [oid = "", name = ""] = line.split("\t", 2);
    if (isOid(oid)) lines.set(name, oid);
  }
  return lines;
}

async function readText(bucket: Bucket, rid: RepoId, name: GitFileName): Promise<string> {
  const found = await bucket.get(gitFileKey(rid, name), { limitBytes: MAX_GIT_FILE_BYTES });
  return typeof found === "object" ? new TextDecoder().decode(found.bytes) : "";
}

/** Verifies published repositories with `git fsck`, which reads a copy of the files that git clients read. */
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import { gitFileKey, packKey } from "../../extensions/replicas/format/keys.ts";
import type { Manifest } from "../../extensions/replicas/format/manifest.ts";
import type { VerifyClone } from "../../extensions/replicas/publisher/bucket_check.ts";
import { UnsupportedError } from "../../src/errors.ts";
import { isWritableFileSystem, type WritableFileSystem } from "../../src/ports/file_system.ts";
import type { StartProgram } from "../../src/ports/program.ts";
import { WriteError } from "../../src/ports/write_error.ts";
import { ENVIRONMENT, readEnd } from "./git_pack_maker.ts";
import type { HomeParts } from "./parts.ts";
import { createFile, makeFolders, removeFolder } from "./temporary_files.ts";

/** Maximum number of bytes that are read from the bucket at once. */
const READ_BYTES = 2 ** 22;
/** Bit of the status of `git fsck` for objects that break a rule of their format. Homes have such objects. */
const FORMAT_ERROR = 1;

/**
 * Returns a function that verifies a repository in a bucket. Returns `undefined` when the runtime cannot run
 * programs.
 */
export function createVerifyClone(bucket: Bucket, parts: HomeParts): VerifyClone | undefined {
  const { startProgram, fileSystem, temporaryPath } = parts;
  const root = temporaryPath?.();
  if (startProgram === undefined || root === undefined || !isWritableFileSystem(fileSystem)) return undefined;
  return async (manifest) => {
    const folder = `${root}/xylem-check-${crypto.randomUUID()}`;
    try {
      await copyRepository(bucket, manifest, folder, fileSystem);
      return await verify(folder, startProgram);
    } catch (error) {
      if (error instanceof UnsupportedError || error instanceof WriteError) return undefined;
      throw error;
    } finally {
      removeFolder(fileSystem, folder);
    }
  };
}

async function copyRepository(
  bucket: Bucket,
  { rid, packs }: Manifest,
  folder: string,
  fileSystem: WritableFileSystem,
): Promise<void> {
  for (const path of [`${folder}/objects/pack`, `${folder}/refs`]) makeFolders(fileSystem, path);
  for (const name of ["HEAD", "packed-refs"] as const) {
    await copyFile(bucket, gitFileKey(rid, name), `${folder}/${name}`, fileSystem);
  }
  for (const { name } of packs) {
    for (const file of ["pack", "idx"] as const) {
      const path = `${folder}/objects/pack/pack-${name}.${file}`;
      await copyFile(bucket, packKey(rid, name, file), path, fileSystem);
    }
  }
}

/** Copies an object of the bucket, if it exists. */
async function copyFile(
  bucket: Bucket,
  key: string,
  path: string,
  fileSystem: WritableFileSystem,
): Promise<void> {
  const size = (await bucket.head(key))?.size ?? 0;
  const file = createFile(fileSystem, path);
  try {
    for (let start = 0; start < size; start += READ_BYTES) {
      const found = await bucket.get(key, { range: { start, end: Math.min(size, start + READ_BYTES) } });
      if (typeof found === "object") file.write(found.bytes);
    }
  } finally {
    file.close();
  }
}

async function verify(folder: string, startProgram: StartProgram): Promise<boolean> {
  const running = await startProgram({
    program: "git",
    args: [
      "-c",
      "safe.directory=*",
      `--git-dir=${folder}`,
      "fsck",
      "--full",
      "--no-dangling",
      "--no-progress",
    ],
    environment: ENVIRONMENT,
    input: new Uint8Array(),
  });
  const { status } = await readEnd(running);
  return status !== undefined && (status & ~FORMAT_ERROR) === 0;
}

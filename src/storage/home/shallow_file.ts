/**
 * The file `shallow` of a repository, which lists commits whose parents were not fetched (shallow clones of
 * git).
 */
import { DamagedError, TooLargeError } from "../../errors.ts";
import { NONE_SHALLOW } from "../../git/shallow.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import type { FileSystem } from "../../ports/file_system.ts";

/** Maximum size of the file, in bytes: enough for some 25,000 commits. */
export const MAX_SHALLOW_BYTES = 2 ** 20;

const OID_DIGITS = 40;

/**
 * Reads the file, which has one id per line. As in git, the rest of a line is ignored.
 *
 * @throws {TooLargeError}
 * @throws {DamagedError} when a line does not begin with an id, or the path is not a file.
 */
export function readShallowFile(fileSystem: FileSystem, repository: string): ReadonlySet<Oid> {
  const path = `${repository}/shallow`;
  const stat = fileSystem.stat(path);
  if (stat === undefined || stat.kind === "file" && stat.size === 0) return NONE_SHALLOW;
  if (stat.size > MAX_SHALLOW_BYTES) {
    throw new TooLargeError(`The list of shallow commits is longer than ${MAX_SHALLOW_BYTES} bytes`);
  }
  const bytes = stat.kind === "file" ? fileSystem.read(path) : undefined;
  if (bytes === undefined) throw new DamagedError(`${path} is not a file`);
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const commits = new Set<Oid>();
  for (const line of lines) {
    const oid = line.slice(0, OID_DIGITS).toLowerCase();
    if (!isOid(oid)) throw new DamagedError(`${path} has a line that is not an object id`);
    commits.add(oid);
  }
  return commits;
}

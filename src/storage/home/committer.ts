/** The committer configured in a repository. */
import { parseConfig } from "../../git/config.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type { Committer } from "../../ports/storage.ts";

/** Maximum size of the configuration, in bytes; real ones have some hundred. */
export const MAX_CONFIG_BYTES = 64 * 1024;

/** Name and address of `user`; `undefined` unless the configuration has both. */
export function readCommitter(fileSystem: FileSystem, repository: string): Committer | undefined {
  const path = `${repository}/config`;
  const file = fileSystem.stat(path);
  if (file?.kind !== "file" || file.size > MAX_CONFIG_BYTES) return undefined;
  const values = parseConfig(new TextDecoder().decode(fileSystem.read(path)));
  const [name, email] = [values.get("user.name"), values.get("user.email")];
  return name && email ? { name, email } : undefined;
}

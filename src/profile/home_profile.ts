/** The profile that a Radicle home describes: its public key and its `config.json`. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { FileStat, FileSystem } from "../ports/file_system.ts";
import type { Environment } from "../ports/environment.ts";
import type { Profile } from "../ports/profile.ts";
import { completeConfig } from "./complete_config.ts";
import { type Config, defaultConfig, newConfig, parseConfig, pinnedRepositories } from "./config.ts";
import { ProfileError } from "./profile_error.ts";
import { nodeIdOfPublicKey } from "./public_key.ts";

/** Longest `config.json` and `keys/radicle.pub` that are read, in bytes; real ones have one or two thousand. */
export const MAX_FILE_BYTES = 1 << 20;

/** Where a profile is read from. */
export interface HomeProfileOptions {
  /** Absolute path of the Radicle home. */
  readonly home: string;
  readonly fileSystem: FileSystem;
  /** Name of the user, asked for only when there is no `config.json`: the node's alias then. */
  readonly user?: () => string | undefined;
  /** Told when a `config.json` that changed cannot be read. */
  readonly log?: Environment["log"];
}

/** A profile and what else a home tells of its node. */
export interface HomeProfile extends Profile {
  readonly alias: string;
  readonly home: string;
  /** Whether the home has a secret key: without one nothing can be signed. */
  readonly hasSecretKey: boolean;
  /** `config.json` as it is now, with what it lacks filled in. One `stat` for each call, and a read when the file has changed. */
  config(): Config;
  /** The pinned repositories of it; likewise. */
  pinned(): readonly RepoId[];
}

/**
 * Loads the profile of a home. The configuration follows the file without a restart; when it becomes unreadable, what it said before stays.
 *
 * @throws {ProfileError} without a readable `keys/radicle.pub`, for a `config.json` that is not JSON, lacks `node.alias` or is larger than
 * {@link MAX_FILE_BYTES}, and without it when the user's name is no alias.
 */
export function loadHomeProfile({ home, fileSystem, user, log }: HomeProfileOptions): HomeProfile {
  const path = `${home}/config.json`;
  const nodeId = readNodeId(home, fileSystem);
  let seen = fileSystem.stat(path);
  const loaded = readConfig(home, fileSystem) ?? defaultConfig(user?.() ?? "");
  const { alias } = loaded.node;
  let config = completeConfig(loaded);
  const current = (): Config => {
    const now = fileSystem.stat(path);
    if (isUnchanged(seen, now)) return config;
    seen = now;
    try {
      config = completeConfig(readConfig(home, fileSystem) ?? newConfig(alias));
    } catch (error) {
      log?.("warn", "Cannot read the changed config.json: what it said before holds", error);
    }
    return config;
  };
  return {
    nodeId,
    alias,
    home,
    hasSecretKey: fileSystem.stat(`${home}/keys/radicle`) !== undefined,
    config: current,
    pinned: () => pinnedRepositories(current()),
  };
}

function readNodeId(home: string, fileSystem: FileSystem): NodeId {
  const text = readText(home, "keys/radicle.pub", fileSystem);
  if (text === undefined) throw new ProfileError(`No Radicle home in ${home}: keys/radicle.pub is missing`);
  return nodeIdOfPublicKey(text);
}

function readConfig(home: string, fileSystem: FileSystem): Config | undefined {
  const text = readText(home, "config.json", fileSystem);
  return text === undefined ? undefined : parseConfig(text);
}

function readText(home: string, name: string, fileSystem: FileSystem): string | undefined {
  const file = fileSystem.open(`${home}/${name}`);
  if (file === undefined) return undefined;
  try {
    if (file.size > MAX_FILE_BYTES) throw new ProfileError(`${name} is larger than ${MAX_FILE_BYTES} bytes`);
    const bytes = new Uint8Array(file.size);
    return decodeText(bytes.subarray(0, file.read(bytes, 0)), name);
  } finally {
    file.close();
  }
}

function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProfileError(`${name} is not UTF-8 text`);
  }
}

/** Of a symbolic link only the link itself is known: its file counts as changed every time. */
function isUnchanged(before: FileStat | undefined, now: FileStat | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return now.kind === "file" && before.modifiedMs === now.modifiedMs && before.size === now.size &&
    before.inode === now.inode;
}

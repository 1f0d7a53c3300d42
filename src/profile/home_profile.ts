/** The profile of a Radicle home: its public key and its `config.json`. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { FileSystem } from "../ports/file_system.ts";
import type { Environment } from "../ports/environment.ts";
import type { Profile } from "../ports/profile.ts";
import { Freshness } from "../cache/file_freshness.ts";
import {
  completeConfig,
  type Config,
  defaultConfig,
  newConfig,
  parseConfig,
  pinnedRepositories,
  ProfileError,
} from "./config.ts";
import { nodeIdOfPublicKey } from "./public_key.ts";

/**
 * Maximum size of `config.json` and of `keys/radicle.pub`, in bytes. Usual files have one or two thousand
 * bytes.
 */
export const MAX_FILE_BYTES = 1 << 20;

export interface HomeProfileOptions {
  /** Absolute path of the Radicle home. */
  readonly home: string;
  readonly fileSystem: FileSystem;
  /** Checks whether a file may be read. By default, all files may be read. */
  readonly mayRead?: ((path: string) => boolean) | undefined;
  /**
   * Returns the name of the user, which becomes the alias of the node. Called only without a `config.json`.
   */
  readonly user?: () => string | undefined;
  /** Logs that a changed `config.json` cannot be read. */
  readonly log?: Environment["log"];
  /** Returns the current time in milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface HomeProfile extends Profile {
  readonly alias: string;
  readonly home: string;
  /**
   * Whether the home has a secret key. Without a secret key nothing can be signed. `undefined` if the key
   * file must not be accessed.
   */
  readonly hasSecretKey: boolean | undefined;
  /**
   * Returns the current `config.json`, completed with defaults. The file is read again when its metadata
   * (`stat`) has changed.
   */
  config(): Config;
  pinned(): readonly RepoId[];
}

/**
 * Loads the profile of a home. Changes of `config.json` take effect without a restart. While the file is
 * unreadable, the last readable configuration is used.
 *
 * @throws {ProfileError} when `keys/radicle.pub` is not readable; when `config.json` is not JSON, lacks
 * `node.alias` or is larger than {@link MAX_FILE_BYTES}; or when there is no `config.json` and the user's
 * name is not a valid alias.
 */
export function loadHomeProfile(options: HomeProfileOptions): HomeProfile {
  const { home, fileSystem, mayRead = () => true, user, log, now = () => Date.now() } = options;
  const path = `${home}/config.json`;
  const secretKey = `${home}/keys/radicle`;
  const nodeId = readNodeId(home, fileSystem);
  let freshness = new Freshness(fileSystem.stat(path), now());
  const loaded = readConfig(home, fileSystem) ?? defaultConfig(user?.() ?? "");
  let config = completeConfig(loaded);
  let lastMessage: string | undefined;
  const current = (): Config => {
    const stat = fileSystem.stat(path);
    if (freshness.holds(stat)) return config;
    freshness = new Freshness(stat, now());
    try {
      config = completeConfig(readConfig(home, fileSystem) ?? newConfig(loaded.node.alias));
      lastMessage = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== lastMessage) {
        log?.("warn", "Cannot read the changed config.json: its last valid content stays in use", error);
      }
      lastMessage = message;
    }
    return config;
  };
  return {
    nodeId,
    get alias() {
      return current().node.alias;
    },
    home,
    hasSecretKey: mayRead(secretKey) ? fileSystem.stat(secretKey) !== undefined : undefined,
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

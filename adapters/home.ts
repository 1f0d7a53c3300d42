/** The API of a Radicle home, put together from the parts that a runtime brings. The same for every runtime. */
import { resolve } from "node:path";
import type { Api, ApiOptions, LoadLibgit2, LoadSigner } from "../mod.ts";
import type { FileSystem } from "../src/ports/file_system.ts";
import type { Inflate } from "../src/ports/inflate.ts";
import { type HomeProfile, loadHomeProfile } from "../src/profile/home_profile.ts";
import type { HomeStorage } from "../src/storage/home/storage.ts";
import { log } from "./log.ts";
import type { loadSigner } from "./node/signer.ts";

/** What a runtime brings to read a home. */
export interface HomeParts {
  readonly fileSystem: FileSystem;
  readonly inflate: Inflate;
  readonly loadLibgit2: LoadLibgit2;
  readonly loadSigner: typeof loadSigner;
}

/** Which home, and the options of the API itself. The log goes to standard error unless `environment` has another. */
export interface HomeOptions extends Omit<ApiOptions, "storage" | "profile" | "loadLibgit2"> {
  /** Path of the Radicle home. */
  readonly home: string;
  /** Name of the user, asked for only when the home has no `config.json`: the node's alias then. */
  readonly user?: () => string | undefined;
  /** Passphrase of the secret key, asked for when something is signed for the first time. */
  readonly passphrase?: () => string | undefined;
  /** Path of the socket of an ssh-agent that may hold the secret key, asked for likewise. */
  readonly agentSocket?: () => string | undefined;
}

/** A Radicle home and its API. */
export interface HomeApi {
  /** Absolute path of the home. */
  readonly home: string;
  readonly api: Api;
  readonly profile: HomeProfile;
  readonly storage: HomeStorage;
}

/**
 * Loads the profile of a home.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export function loadProfile(options: HomeOptions, { fileSystem }: HomeParts): HomeProfile {
  const { user } = options;
  return loadHomeProfile({
    home: resolve(options.home),
    fileSystem,
    log: logOf(options),
    ...(user && { user }),
  });
}

/** Builds the API of a home, whose profile may have been loaded before. Loads the code of it on the first call, reads no repository yet. */
export async function createHomeApi(
  options: HomeOptions,
  parts: HomeParts,
  profile: HomeProfile = loadProfile(options, parts),
): Promise<HomeApi> {
  const { createApi } = await import("../mod.ts");
  const { createHomeStorage } = await import("../src/storage/home/storage.ts");
  const home = resolve(options.home);
  const { fileSystem, inflate, loadLibgit2 } = parts;
  const environment = { ...options.environment, log: logOf(options) };
  const storage = createHomeStorage({ root: `${home}/storage`, fileSystem, inflate, log: environment.log });
  return {
    home,
    profile,
    storage,
    api: createApi({
      signer: signerOf(options, home, profile, parts),
      ...options,
      environment,
      storage,
      profile,
      loadLibgit2,
    }),
  };
}

/** The signer of a home, made on first need: until then nobody asks for passphrases. */
function signerOf(options: HomeOptions, home: string, { nodeId }: HomeProfile, parts: HomeParts): LoadSigner {
  let load: LoadSigner | undefined;
  return () => {
    load ??= parts.loadSigner({
      home,
      nodeId,
      fileSystem: parts.fileSystem,
      passphrase: options.passphrase?.(),
      agentSocket: options.agentSocket?.(),
      log: logOf(options),
    });
    return load();
  };
}

/** Where the log of a home goes. */
export function logOf({ environment }: HomeOptions): typeof log {
  return environment?.log ?? log;
}

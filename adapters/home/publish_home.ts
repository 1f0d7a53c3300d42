/** Assembles a publisher of a Radicle home from the parts of a runtime. The same code serves all runtimes. */
import type { Generation } from "../../src/cob/rules.ts";
import { createCore } from "../../src/core.ts";
import { findDocBlob } from "../../src/identity/identity.ts";
import { generationOf } from "../../src/identity/generation.ts";
import { saveVerdicts } from "../../src/identity/save_verdicts.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import type { DeflateLevel } from "../../src/ports/compression.ts";
import type { Environment } from "../../src/ports/environment.ts";
import { Publisher, type PublisherOptions } from "../../extensions/replicas/publisher/publisher.ts";
import type { HomeProfile } from "../../src/profile/home_profile.ts";
import { readListing } from "../../src/views/project_info.ts";
import { isWritableFileSystem, readOnlyFiles } from "../../src/ports/file_system.ts";
import { UnsupportedError } from "../../src/errors.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { zlibSync } from "fflate";
import { createUnpack } from "../../src/git/unpack.ts";
import { GitPackMaker } from "./git_pack_maker.ts";
import { createNode, type HomeOptions, logOf, openHome } from "./home.ts";
import type { HomeParts } from "./parts.ts";

/** Options of a publisher, including the home and the bucket. */
export interface PublishOptions
  extends
    Pick<HomeOptions, "home" | "user" | "nodeSocket" | "cachePath" | "memory">,
    Pick<PublisherOptions, "onPublication" | "graceMs" | "clock"> {
  readonly bucket: Bucket;
  readonly environment?: Partial<Environment>;
  /** Rules by which issues and patches are evaluated. The replicas must use the same rules. */
  readonly evaluation?: Generation;
}

/** A publisher of a home. */
export interface HomePublisher {
  readonly home: string;
  readonly profile: HomeProfile;
  readonly publisher: Publisher;
  /** Closes everything that was opened. Call it after the publisher has ended. */
  close(): Promise<void>;
}

/**
 * Opens a home to publish it. The repositories of the home are not changed.
 *
 * @throws {ProfileError} when there is no usable home at the path.
 * @throws {UnsupportedError} when the host has no git, or does not permit to run it.
 */
export async function openHomePublisher(options: PublishOptions, parts: HomeParts): Promise<HomePublisher> {
  const { bucket, cachePath } = options;
  const environment = { ...options.environment, log: logOf(options, parts) };
  const { log } = environment;
  const given = { ...options, environment };
  const opened = openHome(given, parts);
  const { home, profile } = opened;
  const { inflate, deflate = (bytes: Uint8Array, level: DeflateLevel = 1) => zlibSync(bytes, { level }) } =
    parts;
  const core = createCore({
    environment,
    evaluation: options.evaluation,
    generation: generationOf(parts.fileSystem, home),
    cacheFolder: cachePath === undefined ? undefined : parts.createCacheFolder?.(cachePath),
    memory: options.memory,
  });
  const { memory, evaluation, cobs, graphs, sigrefs, identities } = core;
  const now = () => core.environment.now();
  const storage = createHomeStorage({
    root: `${home}/storage`,
    fileSystem: readOnlyFiles(parts.fileSystem),
    ...(inflate && { inflate }),
    log,
    memory,
  });
  const packMaker = createPackMaker(options, home, parts);
  await packMaker.check();
  const node = await createNode(given, opened, parts, memory);
  const publisher = new Publisher({
    storage,
    bucket,
    identities,
    async derive(repository, earlier, write, task) {
      const opened = graphs.open(repository, task);
      const roots = [
        await cobs.issues.save(opened, earlier, write),
        await cobs.patches.save(opened, earlier, write),
        await graphs.save(repository, Math.floor(now() / 1000), earlier, write, task),
        await saveVerdicts({
          repository,
          task,
          generation: sigrefs.generation(),
          rules: evaluation,
          judge: sigrefs.judge,
          find: identities.find,
          earlier,
          write,
        }),
      ];
      return roots.filter((root) => root !== undefined);
    },
    async readListing(repository, task) {
      const doc = await identities.doc(repository, task);
      const commit = await identities.commit(repository, task);
      const blob = commit && await repository.object(await findDocBlob(repository, commit));
      if (!blob) return undefined;
      const document = new TextDecoder("utf-8", { ignoreBOM: true }).decode(blob.bytes);
      const opened = graphs.open(repository, task);
      return await readListing(opened, { doc, document, cobs, evaluation });
    },
    node: { profile, node },
    packMaker,
    deflate,
    unpack: createUnpack(inflate),
    now,
    log,
    progress: core.environment.progress,
    onPublication: options.onPublication,
    graceMs: options.graceMs,
    clock: options.clock,
  });
  return {
    home,
    profile,
    publisher,
    async close() {
      await graphs.close();
      await node.close();
      storage.close();
    },
  };
}

/**
 * Creates the maker of packs. Its temporary files are in the cache folder, or in the system's folder for
 * them.
 */
function createPackMaker(
  { cachePath }: Pick<PublishOptions, "cachePath">,
  home: string,
  { fileSystem, startProgram, temporaryPath, absolutePath = (path) => path }: HomeParts,
): GitPackMaker {
  const folder = cachePath === undefined
    ? { path: temporaryPath?.(), isShared: true }
    : { path: `${absolutePath(cachePath)}/publisher`, isShared: false };
  const { path } = folder;
  if (path === undefined || startProgram === undefined || !isWritableFileSystem(fileSystem)) {
    throw new UnsupportedError("Publishing needs git, but this runtime cannot run programs");
  }
  return new GitPackMaker({ root: `${home}/storage`, folder: { ...folder, path }, fileSystem, startProgram });
}

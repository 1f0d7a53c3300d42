/** A publisher of a Radicle home, assembled from the parts of a runtime. The same for every runtime. */
import { cacheIdentities } from "../../src/cob/identity/cached_identities.ts";
import { createIdentityReader, findIdentity } from "../../src/cob/identity/identity_search.ts";
import { type Generation, RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { Memory } from "../../src/cache/memory.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { createDocCache, findDocBlob, identityCommit, readIdentity } from "../../src/identity/identity.ts";
import { detectGeneration, olderGeneration, readHomeSigns } from "../../src/identity/generation.ts";
import { saveVerdicts } from "../../src/identity/save_verdicts.ts";
import { SigrefsJudge } from "../../src/identity/sigrefs_walk.ts";
import type { Bucket } from "../../src/ports/bucket.ts";
import type { DeflateLevel } from "../../src/ports/deflate.ts";
import type { Environment } from "../../src/ports/environment.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { Publisher, type PublisherDependencies } from "../../src/replication/publisher/publisher.ts";
import type { HomeProfile } from "../../src/profile/home_profile.ts";
import { readListing } from "../../src/views/repository_listing.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { zlibSync } from "fflate";
import { createUnpack } from "../../src/git/unpack.ts";
import { createNode, type HomeOptions, openHome } from "./home.ts";
import type { HomeParts } from "./parts.ts";

/** A home, and how it is published. */
export interface PublishOptions
  extends
    Pick<HomeOptions, "home" | "user" | "nodeSocket" | "cachePath" | "memoryBytes">,
    Pick<PublisherDependencies, "onPublication" | "graceMs" | "leaseClock"> {
  readonly bucket: Bucket;
  readonly environment?: Partial<Environment>;
  /** Rules by which issues and patches are evaluated; those of replicas must be the same. */
  readonly evaluation?: Generation;
}

/** A publisher of a home. */
export interface HomePublisher {
  readonly home: string;
  readonly profile: HomeProfile;
  readonly publisher: Publisher;
  /** Closes all that was opened. Call it when the publisher has ended. */
  close(): Promise<void>;
}

/**
 * Opens a home to publish it. Its repositories are only read.
 *
 * @throws {ProfileError} when it is no home.
 */
export async function openHomePublisher(options: PublishOptions, parts: HomeParts): Promise<HomePublisher> {
  const { bucket, evaluation = "newest", cachePath, memoryBytes, environment } = options;
  const log = environment?.log ?? parts.log ?? (() => {});
  const given = { ...options, environment: { now: Date.now, ...environment, log } };
  const opened = openHome(given, parts);
  const { home, fileSystem, profile } = opened;
  const { read, list, stat, open } = fileSystem;
  const { inflate, deflate = (bytes: Uint8Array, level: DeflateLevel = 1) => zlibSync(bytes, { level }) } =
    parts;
  const memory = new Memory({ memoryBytes });
  const storage = createHomeStorage({
    root: `${home}/storage`,
    // Without the calls that write.
    fileSystem: { read, list, stat, open },
    ...(inflate && { inflate }),
    log,
    memory,
  });
  const node = await createNode(given, opened, parts, memory);
  const docs = createDocCache(memory);
  const entries = createIdentityReader(RULES[evaluation], memory);
  const find = cacheIdentities((repository) => findIdentity(repository, RULES[evaluation], entries), memory);
  const cobs = createCobs(evaluation, log, memory);
  const cacheFolder = cachePath === undefined ? undefined : parts.createCacheFolder?.(cachePath);
  const judge = new SigrefsJudge(memory, { cacheFolder, log });
  const graphs = new CommitGraphs({
    cache: cacheFolder,
    log,
    memory,
    ...(environment?.progress && { progress: environment.progress }),
  });
  const publisher = new Publisher({
    storage,
    bucket,
    identity: (repository: Repository) => readIdentity(repository, docs, find),
    identityCommit: (repository: Repository) => identityCommit(repository, find),
    async derive(repository, earlier, write) {
      const graph = graphs.of(repository.rid);
      const roots = [
        await cobs.issues.save(repository, graph, earlier, write),
        await cobs.patches.save(repository, graph, earlier, write),
        await graphs.save(repository, Math.floor(given.environment.now() / 1000), earlier, write),
        await saveVerdicts({
          repository,
          generation: olderGeneration(evaluation, detectGeneration(readHomeSigns(fileSystem, home))),
          rules: evaluation,
          judge,
          find,
          earlier,
          write,
        }),
      ];
      return roots.filter((root) => root !== undefined);
    },
    async readListing(repository) {
      const doc = await readIdentity(repository, docs, find);
      const commit = await identityCommit(repository, find);
      const blob = commit && await repository.object(await findDocBlob(repository, commit));
      if (!blob) return undefined;
      const document = new TextDecoder("utf-8", { ignoreBOM: true }).decode(blob.bytes);
      return await readListing(repository, {
        doc,
        document,
        graph: graphs.of(repository.rid),
        cobs,
        evaluation,
      });
    },
    node: { profile, node },
    deflate,
    unpack: createUnpack(inflate),
    now: given.environment.now,
    log,
    progress: environment?.progress,
    onPublication: options.onPublication,
    graceMs: options.graceMs,
    leaseClock: options.leaseClock,
  });
  return {
    home,
    profile,
    publisher,
    async close() {
      await graphs.close();
      await node.close();
      storage.close();
      fileSystem.close?.();
    },
  };
}

/**
 * Creates the objects that read repositories, for a service or a publisher. All these objects share one cache
 * memory.
 */
import { Memory, type MemoryOptions } from "./cache/memory.ts";
import { type Cobs, createCobs } from "./cob/evaluation/store.ts";
import { cacheIdentities } from "./cob/identity/cached_identities.ts";
import { IdentitySearch } from "./cob/identity/identity_search.ts";
import { type Generation, type Rules, rulesInHome } from "./cob/rules.ts";
import { CommitGraphs } from "./git/commit_graphs.ts";
import { type HomeGeneration, olderGeneration } from "./identity/generation.ts";
import { Identities } from "./identity/identity.ts";
import { createSigrefsCache, type SigrefsCache } from "./identity/sigrefs.ts";
import { createVerdictCache, savedIdentity } from "./identity/verdicts.ts";
import type { CacheFolder } from "./ports/cache_folder.ts";
import type { Environment } from "./ports/environment.ts";
import type { Workers } from "./ports/workers.ts";

export interface CoreOptions {
  readonly memory?: MemoryOptions | undefined;
  /** Clock and log. By default the clock of the system is used, and nothing is logged. */
  readonly environment?: Partial<Environment> | undefined;
  /**
   * Generation (range of versions) of the Radicle programs by whose rules issues, patches and identities are
   * evaluated; `newest` by default.
   */
  readonly evaluation?: Generation | undefined;
  /** Returns the generation of the Radicle programs that use the storage; `newest` by default. */
  readonly generation?: (() => HomeGeneration) | undefined;
  /** Folder for saved indexes; none by default. */
  readonly cacheFolder?: CacheFolder | undefined;
  /** Workers that read long histories. By default this thread reads long histories. */
  readonly workers?: Workers | undefined;
}

/** The objects that read repositories. */
export interface Core {
  readonly environment: Environment;
  /** Divides the cache memory among all caches. */
  readonly memory: Memory;
  /** Generation of the Radicle programs by whose rules issues, patches and identities are evaluated. */
  readonly evaluation: Generation;
  /** Rules by which issues, patches and identities are evaluated. */
  readonly rules: Rules;
  /** Returns the current generation of the Radicle programs that use the storage. */
  readonly generation: () => HomeGeneration;
  readonly cobs: Cobs;
  readonly graphs: CommitGraphs;
  readonly sigrefs: SigrefsCache;
  readonly identities: Identities;
}

/**
 * Creates the objects that read repositories. Nothing is read yet, except by `options.generation`, which may
 * read the files that show which Radicle programs use the home.
 *
 * @throws {TypeError} when the memory is too small.
 */
export function createCore(options: CoreOptions): Core {
  const { evaluation = "newest", generation = () => "newest", cacheFolder, workers } = options;
  const environment: Environment = { now: Date.now, log: () => {}, ...options.environment };
  const log: Environment["log"] = (...line) => environment.log(...line);
  const rules = rulesInHome(evaluation, generation());
  const memory = new Memory(options.memory);
  const search = new IdentitySearch(rules, memory);
  const verdicts = createVerdictCache(memory);
  const find = cacheIdentities(
    async (repository, task) =>
      await savedIdentity(repository, evaluation, verdicts, task) ??
        await search.find(repository, task),
    memory,
  );
  return {
    environment,
    memory,
    evaluation,
    rules,
    generation,
    cobs: createCobs(rules, log, memory),
    graphs: new CommitGraphs({
      cache: cacheFolder,
      log,
      progress: environment.progress?.bind(environment),
      readHistory: workers?.readHistory?.bind(workers),
      memory,
    }),
    sigrefs: createSigrefsCache(memory, {
      generation: () => olderGeneration(evaluation, generation()),
      verdicts,
      cacheFolder,
      log,
    }),
    identities: new Identities(find, memory),
  };
}

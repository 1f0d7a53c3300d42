/** A publisher over a storage and a bucket, with fixed parts. */
import { unzlibSync, zlibSync } from "fflate";
import { createCobs } from "../../../../src/cob/evaluation/store.ts";
import { IdentitySearch } from "../../../../src/cob/identity/identity_search.ts";
import { CommitGraphs } from "../../../../src/git/commit_graphs.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { findDocBlob, Identities } from "../../../../src/identity/identity.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { Storage } from "../../../../src/ports/storage.ts";
import { readListing } from "../../../../src/views/project_info.ts";
import type { Derive } from "../../../../extensions/replicas/publisher/publication_options.ts";
import type { AfterPause, PublisherClock } from "../../../../extensions/replicas/publisher/lease.ts";
import { Publisher, type PublisherOptions } from "../../../../extensions/replicas/publisher/publisher.ts";
import { pauseFor } from "../../../../src/async/timer.ts";
import { createPackMaker } from "../../../support/packs.ts";
import { Task } from "../../../../src/scheduling/task.ts";

/** Parts that read identities as the service does, and a task. */
export function publisherParts(
  storage: Storage,
  bucket: Bucket,
  more: Partial<PublisherOptions> = {},
): PublisherOptions & { readonly task: Task } {
  const search = new IdentitySearch(RULES.newest);
  const identities = new Identities((repository, task) => search.find(repository, task));
  const log = () => {};
  const cobs = createCobs(RULES.newest, log);
  const graphs = new CommitGraphs({ log });
  return {
    storage,
    bucket,
    identities,
    task: new Task("background"),
    async readListing(repository, task) {
      const doc = await identities.doc(repository, task);
      const commit = await identities.commit(repository, task);
      const blob = commit && await repository.object(await findDocBlob(repository, commit));
      const document = blob ? new TextDecoder().decode(blob.bytes) : "";
      const graph = graphs.of(repository.rid);
      const opened = { objects: repository, graph, task };
      return await readListing(opened, { doc, document, cobs, evaluation: "newest" });
    },
    packMaker: createPackMaker(storage),
    deflate: (bytes) => zlibSync(bytes, { level: 1 }),
    unpack: (bytes) => unzlibSync(bytes),
    now: Date.now,
    log,
    clock: createTestClock(),
    ...more,
  };
}

/**
 * A clock whose time goes on when somebody waits for a lease. Nobody stores beats or looks beside publications.
 *
 * @param pauses What happens instead before a step, a look and so on.
 */
export function createTestClock(
  pauses: Partial<Record<AfterPause, (ms: number, signal: AbortSignal) => Promise<void>>> = {},
): PublisherClock {
  let nowMs = 0;
  const usual: Required<typeof pauses> = {
    step: pauseFor,
    scan: untilAborted,
    beat: untilAborted,
    async lease(ms) {
      nowMs += ms;
      await Promise.resolve();
    },
  };
  return {
    nowMs: () => nowMs,
    pause: (ms, signal = new AbortController().signal, next) => (pauses[next] ?? usual[next])(ms, signal),
  };
}

/** Waits until the signal is aborted. */
export function untilAborted(_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}

/** A publisher with {@link publisherParts}. */
export function createTestPublisher(
  storage: Storage,
  bucket: Bucket,
  more: Partial<PublisherOptions> = {},
): Publisher {
  return new Publisher(publisherParts(storage, bucket, more));
}

/** Issues and histories, as the publisher of a home derives them. */
export function createDerive(): Derive {
  const log = () => {};
  const [cobs, graphs] = [createCobs(RULES.newest, log), new CommitGraphs({ log })];
  return async (repository, earlier, write) => {
    const graph = graphs.of(repository.rid);
    const roots = [
      await cobs.issues.save({ objects: repository, graph, task: new Task() }, earlier, write),
      await cobs.patches.save({ objects: repository, graph, task: new Task() }, earlier, write),
    ];
    return roots.filter((root) => root !== undefined);
  };
}

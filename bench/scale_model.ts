/**
 * Simulates replicas on a bucket. Requests of people and crawlers are drawn one after the other with a seed,
 * and meet the caches of one replica. A cache that is larger than one run can fill (a CDN) hits with the
 * probability of its steady state. The number of replicas depends on the processor time per request, which
 * depends on the caches of a replica, which depend on the number of replicas. So the run is repeated with the
 * new number.
 */
import type { Costs } from "./scale_constants.ts";

export interface Situation {
  readonly repositories: number;
  readonly requestsPerSecond: number;
  /** Whether a CDN is in front of the replicas. */
  readonly hasCdn: boolean;
  /**
   * Whether the balancer sends all requests for a repository to one replica, and requests for the most
   * popular repositories to all.
   */
  readonly isRouted: boolean;
}

/** The result for a situation. */
export interface Outcome {
  readonly replicas: number;
  /**
   * Part of all requests that the CDN answers, and part of the other requests that the replicas' caches
   * answer without the bucket.
   */
  readonly cdnHits: number;
  readonly cacheHits: number;
  /** Processor time per request at a replica, in milliseconds. */
  readonly cpuMs: number;
  /** Sum of all replicas. */
  readonly bucketReadsPerSecond: number;
  readonly bucketMegabytesPerSecond: number;
  readonly answerMegabytesPerSecond: number;
  /** Age of the state that a reader of a changing page sees, in seconds. */
  readonly ageMedian: number;
  readonly age99: number;
  /**
   * Seconds between two checks of the same repository by the publisher, and the part of one processor that
   * the publisher uses.
   */
  readonly lookSeconds: number;
  readonly publisherLoad: number;
  readonly costPerMonth: number;
  /** Limits and the used part of each, highest first. A part above 1 breaks the promise behind the limit. */
  readonly limits: readonly (readonly [name: string, used: number])[];
}

/** Requests per run. */
const REQUESTS = 40_000;
/**
 * Largest part of a replica's requests that is for one repository. Several replicas serve a more popular one.
 */
const HOT_SHARE = 0.5;
/** Distance of neighbours on the ring of replicas: a prime. */
const RING_STEP = 7919;
/** Distance between the groups that one request reads. */
const GROUP_STEP = 5;
/** Relative error of the number of replicas. */
const TOLERANCE = 0.05;
const SECONDS_PER_MONTH = 30 * 86_400;
const MB = 2 ** 20;

/** Random numbers from 0 to below 1. The same seed gives the same numbers (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A cache with a limit in bytes that evicts the least recently used entries. */
class Lru {
  readonly #weights = new Map<string, number>();
  readonly #limit: number;
  #sum = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds the key. Returns whether it was already there. */
  use(key: string, weight: number): boolean {
    const isHit = this.#weights.delete(key);
    this.#weights.set(key, weight);
    if (isHit) return true;
    this.#sum += weight;
    for (const [oldest, size] of this.#weights) {
      if (this.#sum <= this.#limit) break;
      this.#weights.delete(oldest);
      this.#sum -= size;
    }
    return false;
  }
}

/** Cumulative weights of Zipf's law. */
function zipf(count: number, exponent: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) sums[i] = sum += (i + 1) ** -exponent;
  return sums.map((value) => value / sum);
}

function draw(sums: Float64Array, at: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Simulates a situation.
 *
 * @param requests Requests of a run. The first half fills the caches.
 */
export function simulate(situation: Situation, costs: Costs, seed = 1, requests = REQUESTS): Outcome {
  // Finds the smallest sufficient number of replicas: doubles it until it suffices, then searches in between.
  const suffices = (count: number) =>
    needed(situation, costs, count, runReplica(situation, costs, count, seed, requests)) <= count;
  let [low, high] = [costs.leastReplicas - 1, costs.leastReplicas];
  while (!suffices(high)) [low, high] = [high, high * 2];
  while (high - low > Math.max(1, high * TOLERANCE)) {
    const middle = (low + high) >> 1;
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  const replicas = high;
  const run = runReplica(situation, costs, replicas, seed, requests);
  return outcomeOf(situation, costs, replicas, run);
}

/** Number of replicas that the requests need, by processor time and by bandwidth. */
function needed({ requestsPerSecond }: Situation, costs: Costs, replicas: number, run: Run): number {
  const reaching = requestsPerSecond * run.reachingShare;
  const cpus = reaching * run.cpuMs / 1000 / costs.usableCore;
  const bytes = (run.answerBytesPerSecond + run.bytesPerSecond) * replicas;
  return Math.max(cpus, bytes / costs.replicaBytesPerSecond);
}

type Run = ReturnType<typeof runReplica>;

/** Simulates the requests at one of `replicas` replicas. Each replica gets every n-th request. */
function runReplica(
  { repositories, requestsPerSecond, hasCdn, isRouted }: Situation,
  costs: Costs,
  replicas: number,
  seed: number,
  requests: number,
) {
  const random = numbers(seed);
  const popularity = zipf(repositories, costs.zipfExponent);
  const shareOf = (repository: number) => popularity[repository]! - (popularity[repository - 1] ?? 0);
  const local = isRouted && replicas > 1 ? routedTo(repositories, replicas, shareOf) : undefined;
  const kinds = Object.entries(costs.kinds);
  const shares = (crawler: boolean) => {
    let sum = 0;
    return Float64Array.from(kinds, ([, kind]) => sum += crawler ? kind.crawlerShare : kind.personShare);
  };
  const [ofPeople, ofCrawlers] = [shares(false), shares(true)];
  const look = lookSeconds(repositories, costs);
  const answers = new Lru(costs.answerCacheBytes);
  const states = new Lru(costs.stateCacheBytes);
  const [blocks, disk] = [new Lru(costs.blockCacheBytes), new Lru(costs.diskCacheBytes)];
  const checkedAt = new Map<number, number>();
  const ages: number[] = [];
  const sum = { all: 0, cdn: 0, hits: 0, cpuMs: 0, reads: 0, bytes: 0, answerBytes: 0, reached: 0 };
  let now = 0;
  let measuredSince = 0;
  const perReplica = requestsPerSecond / replicas;
  for (let i = 0; i < requests; i++) {
    if (i === requests / 2) {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] = 0;
      ages.length = 0;
      measuredSince = now;
    }
    now -= Math.log(1 - random()) / perReplica;
    sum.all++;
    const isCrawler = random() < costs.crawlers;
    const place = local === undefined
      ? isCrawler ? Math.floor(random() * repositories) : draw(popularity, random())
      : draw(isCrawler ? local.ofCrawlers : local.ofPeople, random());
    const repository = local?.repositories[place] ?? place;
    const shareSums = isCrawler ? ofCrawlers : ofPeople;
    const [name, kind] = kinds[draw(shareSums, random() * shareSums.at(-1)!)]!;
    const group = Math.floor(costs.groups * (isCrawler ? random() : random() ** costs.recency));
    const object = kind.isImmutable
      ? group * costs.objectsPerGroup + Math.floor(random() * costs.objectsPerGroup)
      : 0;
    if (hasCdn && kind.isImmutable && random() < cdnHitRate(repository)) {
      sum.cdn++;
      continue;
    }
    sum.reached++;
    sum.answerBytes += kind.answerBytes;
    sum.cpuMs += kind.repeatedMs;
    const readsBefore = sum.reads;
    const isKnown = states.use(String(repository), costs.stateBytes);
    if (!isKnown) {
      sum.reads += costs.stateReads;
      sum.bytes += costs.stateReadBytes;
      sum.cpuMs += costs.stateMs;
      checkedAt.set(repository, now);
    } else if (now - (checkedAt.get(repository) ?? -Infinity) >= costs.freshSeconds) {
      // Usually unchanged: 304.
      sum.reads++;
      sum.cpuMs += costs.revalidationMs;
      checkedAt.set(repository, now);
    }
    if (!kind.isImmutable) {
      const finding = random() < costs.toldShare ? costs.lookPauseSeconds : look;
      const publishing = random() * finding + costs.publishSeconds;
      ages.push(now - checkedAt.get(repository)! + publishing);
    }
    const asked = `${repository} ${name} ${object}`;
    const isAnswered = answers.use(
      kind.isImmutable ? asked : `${asked} ${Math.floor(now / costs.secondsBetweenChanges)}`,
      kind.answerBytes,
    );
    if (!isAnswered || !isKnown) {
      sum.cpuMs += kind.firstMs;
      for (let n = 0; n < kind.groupsRead; n++) {
        // All such requests need the first group. The others depend on the object.
        const read = !kind.isImmutable
          ? `${name} ${n}`
          : n === 0
          ? "first"
          : (group + n * GROUP_STEP) % costs.groups;
        const bytes = kind.isImmutable ? costs.groupBytes : costs.smallBytes;
        const key = `${repository} ${read}`;
        if (blocks.use(key, bytes)) continue;
        const isSaved = disk.use(key, bytes);
        sum.cpuMs += kind.readMs + (isSaved ? costs.savedMs : costs.saveMs);
        if (isSaved) continue;
        sum.reads++;
        sum.bytes += bytes;
      }
    }
    if (sum.reads === readsBefore) sum.hits++;
  }
  /**
   * Probability that a CDN answers a request for an object of this repository: that there was an earlier
   * request while the answer is stored.
   */
  function cdnHitRate(repository: number): number {
    const [person, crawler] = [shareOf(repository), 1 / repositories];
    const rate = requestsPerSecond * ((1 - costs.crawlers) * person + costs.crawlers * crawler) *
      costs.immutableShare /
      (costs.groups * costs.objectsPerGroup) * costs.cdnReach;
    return 1 - Math.exp(-rate * costs.cdnSeconds);
  }
  const seconds = now - measuredSince;
  const reached = Math.max(sum.reached, 1);
  ages.sort((a, b) => a - b);
  return {
    cdnHits: sum.cdn / sum.all,
    cacheHits: sum.hits / reached,
    cpuMs: sum.cpuMs / reached,
    reachingShare: sum.reached / sum.all,
    readsPerSecond: sum.reads / seconds,
    bytesPerSecond: sum.bytes / seconds,
    answerBytesPerSecond: sum.answerBytes / seconds,
    ages,
    look,
  };
}

/**
 * The repositories of one replica when each repository has as many replicas as its requests need and no more,
 * with their cumulative weights among the requests of people and of crawlers.
 */
function routedTo(repositories: number, replicas: number, shareOf: (repository: number) => number) {
  const own: number[] = [];
  const [people, crawlers]: [number[], number[]] = [[], []];
  for (let repository = 0; repository < repositories; repository++) {
    const served = Math.min(replicas, Math.max(1, Math.ceil(shareOf(repository) * replicas / HOT_SHARE)));
    // The replica in the middle of a ring. Each repository has a position on the ring, and the replicas after
    // this position serve it.
    if ((repository * RING_STEP + (replicas >> 1)) % replicas >= served) continue;
    own.push(repository);
    people.push((people.at(-1) ?? 0) + shareOf(repository) / served);
    crawlers.push((crawlers.at(-1) ?? 0) + 1 / repositories / served);
  }
  if (own.length === 0) return undefined;
  const norm = (sums: number[]) => Float64Array.from(sums, (sum) => sum / sums.at(-1)!);
  return { repositories: own, ofPeople: norm(people), ofCrawlers: norm(crawlers) };
}

/**
 * Seconds between two checks of the same repository: all checks together take at most a fixed part of a
 * processor.
 */
function lookSeconds(repositories: number, costs: Costs): number {
  return Math.max(costs.lookPauseSeconds, workSeconds(repositories, costs) / costs.lookShare);
}

/**
 * Processor time of one check of all repositories. When they do not fit into the caches, each check evicts
 * what the next one needs.
 */
function workSeconds(repositories: number, { lookMs, farLookMs, nearRepositories }: Costs): number {
  return repositories * (repositories <= nearRepositories ? lookMs : farLookMs) / 1000;
}

function outcomeOf(
  { repositories, requestsPerSecond }: Situation,
  costs: Costs,
  replicas: number,
  run: Run,
): Outcome {
  const reads = run.readsPerSecond * replicas;
  const changes = repositories * costs.changesPerRepositoryPerDay / 86_400;
  const publisherLoad = changes * costs.publishMs / 1000 + workSeconds(repositories, costs) / run.look;
  const { prices } = costs;
  const millionReads = reads * SECONDS_PER_MONTH / 1e6;
  const millionPuts = changes * costs.putsPerChange * SECONDS_PER_MONTH / 1e6;
  const gigabytes = repositories * costs.storedBytes / 2 ** 30;
  const egress = run.answerBytesPerSecond * replicas * SECONDS_PER_MONTH / 2 ** 30;
  const limits: [string, number][] = [
    ["looks within an hour", run.look / 3600],
    ["publisher", publisherLoad],
    ["calls of the publisher", changes * costs.putsPerChange * costs.callSeconds / costs.publishedAtOnce],
    ["bucket reads", reads / costs.bucketReadsPerSecond],
    ["bandwidth of a replica", run.bytesPerSecond / costs.replicaBytesPerSecond],
    ["changes at the home", requestsPerSecond * costs.writeShare / costs.homeChangesPerSecond],
  ];
  limits.sort((a, b) => b[1] - a[1]);
  const at = (part: number) =>
    run.ages[Math.min(run.ages.length - 1, Math.floor(run.ages.length * part))] ?? 0;
  return {
    replicas,
    cdnHits: run.cdnHits,
    cacheHits: run.cacheHits,
    cpuMs: run.cpuMs,
    bucketReadsPerSecond: reads,
    bucketMegabytesPerSecond: run.bytesPerSecond * replicas / MB,
    answerMegabytesPerSecond: run.answerBytesPerSecond * replicas / MB,
    ageMedian: at(0.5),
    age99: at(0.99),
    lookSeconds: run.look,
    publisherLoad,
    costPerMonth: replicas * prices.replicaMonth + millionReads * prices.millionReads +
      millionPuts * prices.millionPuts +
      gigabytes * prices.gigabyteMonth + egress * prices.egressGigabyte,
    limits,
  };
}

/**
 * Finds the unpublished objects that can be reached from shown references. They are grouped by the kinds of
 * packs, and are in the order of the packs. Objects that one response needs are next to each other.
 */
import {
  type GitObject,
  ifReadable,
  isOid,
  MAX_TAG_CHAIN,
  type Oid,
  OidTable,
  parseTag,
  type Ref,
  type Repository,
  resolveRef,
  runSync,
  type Task,
  type TreeCursor,
} from "../../../src/mod.ts";
import type { PackKind } from "../format/keys.ts";
import { type PublishedObjects, type SelectParents, WalkedCommits } from "./commit_walk.ts";
import { ENTRIES_AT_ONCE, ObjectReads } from "./object_reads.ts";

const IDENTITY = /^refs\/(?:namespaces\/[^/]+\/refs\/)?(?:rad\/(?:id|root)|cobs\/xyz\.radicle\.id\/)/;
const SIGREFS = /^refs\/(?:namespaces\/[^/]+\/refs\/)?rad\/sigrefs(?:-parent)?$/;
const COBS = /^refs\/(?:namespaces\/[^/]+\/refs\/)?cobs\//;
/**
 * Pattern of the links of an entry, which is a commit of a collaborative object. A link is a line of the
 * message with the id of a commit. These commits are parents of the entry, in addition to the entries that it
 * follows.
 */
const LINKS = /^Rad-(?:Related|Resource): ([0-9a-f]{40})$/gm;

/**
 * Number of superseded blobs in the first stretch. A stretch is a part of the list that is sorted by name.
 * The first stretch is short, so that one read returns the blobs of the latest commits.
 */
const FIRST_STRETCH = 512;
/**
 * Maximum number of blobs in a stretch. Each stretch has twice as many blobs as the stretch before, up to
 * this number.
 */
const LAST_STRETCH = 4096;

/** An ordered list of ids. */
export interface OidList {
  readonly length: number;
  at(index: number): Oid;
}

/** The objects to be published. */
export interface WalkedObjects {
  /**
   * The objects by the kinds of packs, in the order in which they are written:
   *
   * - `history`: identities, which every response needs, then tags, then commits, newest first. Two groups of
   *   trees follow each commit: first the trees of the default branch's newest commit that no older commit
   *   has, then the other trees that no newer commit has. So the trees of a diff are next to its commit, or
   *   nearer to the start.
   * - `blobs`: the blobs of the newest commit of the default branch, the latest blobs first.
   * - `superseded`: the other blobs, in the order of a walk back from the newest commits. They are divided
   *   into stretches and sorted by name in each stretch, because versions of a file repeat each other.
   * - `cobs`: signed references, then issues and patches. Both are newest first, and each commit is followed
   *   by its trees and blobs.
   */
  readonly lists: Readonly<Record<PackKind, OidList>>;
  /** Number of objects in all lists. */
  readonly count: number;
  /**
   * Missing or damaged objects to which references or other objects lead. The set also has commits that are
   * too large, and objects that should be commits but are of another kind.
   */
  readonly unreadable: ReadonlySet<Oid>;
}

/** The rows of trees and blobs, in the order of a walk back from the newest commits. */
interface MetObjects {
  /** First the blobs of the commit of `HEAD`, the latest first, then the other blobs. */
  readonly blobs: Uint32Array;
  /** Number of blobs of the commit of `HEAD`. */
  readonly aliveBlobs: number;
  /** By the row of each tree: 1 if the commit of `HEAD` has the tree, otherwise 0. */
  readonly isAlive: Uint8Array;
  readonly trees: Uint32Array;
  /**
   * For each commit, by its position in the order, the index in `trees` where the trees begin that no newer
   * commit has.
   */
  readonly treeStarts: Uint32Array;
}

/** Called while objects are found, with the number of objects so far. */
export type OnFound = (count: number) => void;

/**
 * Finds the objects to be published.
 *
 * @param refs The references that are shown.
 * @param published Objects that are already published. The walk skips these objects and everything to which
 *   they lead.
 */
export async function walkObjects(
  repository: Repository,
  refs: readonly Ref[],
  published: PublishedObjects,
  task: Task,
  onFound: OnFound = () => {},
): Promise<WalkedObjects> {
  return await new ObjectWalk(repository, published, task, onFound).run(refs);
}

class ObjectWalk {
  readonly #repository: Repository;
  readonly #published: PublishedObjects;
  readonly #onFound: OnFound;
  readonly #task: Task;
  readonly #reads: ObjectReads;
  readonly #commits = new WalkedCommits();
  readonly #tags = new OidTable();
  /** Trees in the order of the oldest commits that have them. */
  readonly #trees = new OidTable();
  readonly #blobs = new OidTable();
  /** Objects of identities, then the other objects of the pack `cobs` in their order. */
  readonly #cobs = new OidTable();

  constructor(repository: Repository, published: PublishedObjects, task: Task, onFound: OnFound) {
    this.#repository = repository;
    this.#published = published;
    this.#task = task;
    this.#onFound = onFound;
    this.#reads = new ObjectReads(repository, task);
  }

  async run(refs: readonly Ref[]): Promise<WalkedObjects> {
    const groups = await this.#groupTips(refs);
    const entries = [groups.identity, groups.sigrefs, groups.cobs].map((tips) => ({
      tips,
      commits: new WalkedCommits(),
    }));
    const linked = new Set<Oid>();
    const select: SelectParents = (bytes, parents) => selectEntries(bytes, parents, linked);
    for (const { tips, commits } of entries) {
      await commits.addAll(this.#repository, tips, this.#published, this.#task, select);
      this.#report();
    }
    const all = new Set(entries.flatMap(({ commits }) => commits.oids.size === 0 ? [] : [commits.oids]));
    const isEntry = (oid: Oid) => [...all].some((oids) => oids.rowOf(oid) !== undefined);
    for (const oid of linked) if (!isEntry(oid)) await this.#addTip(oid, groups);
    await this.#commits.addAll(this.#repository, groups.history, this.#published, this.#task);
    this.#report();

    const newestFirst = await this.#commits.newestFirst(this.#task);
    const starts = await this.#findTrees(newestFirst, groups.loose);
    const head = await resolveRef(this.#repository, "HEAD");
    const met = await this.#walkBack(newestFirst, head?.oid, groups.loose);
    const history = await this.#orderHistory(newestFirst, starts, met);
    let identities = 0;
    for (const [i, { commits }] of entries.entries()) {
      await this.#addEntries(commits);
      if (i === 0) identities = this.#cobs.size;
    }

    for (const { unreadable } of [this.#commits, ...entries.map(({ commits }) => commits)]) {
      for (const oid of unreadable) this.#reads.unreadable.add(oid);
    }
    const lists = {
      history: {
        length: identities + history.length,
        at: (index: number) => index < identities ? this.#cobs.oidOf(index) : history.at(index - identities),
      },
      blobs: this.#blobsOf(met.blobs.subarray(0, met.aliveBlobs)),
      superseded: this.#blobsOf(met.blobs.subarray(met.aliveBlobs)),
      cobs: {
        length: this.#cobs.size - identities,
        at: (index: number) => this.#cobs.oidOf(identities + index),
      },
    };
    return {
      lists,
      count: Object.values(lists).reduce((sum, { length }) => sum + length, 0),
      unreadable: this.#reads.unreadable,
    };
  }

  #report(): void {
    const tables = [this.#commits.oids, this.#tags, this.#trees, this.#blobs, this.#cobs];
    this.#onFound(tables.reduce((sum, { size }) => sum + size, 0));
  }

  async #groupTips(refs: readonly Ref[]) {
    const groups = {
      identity: new Set<Oid>(),
      sigrefs: new Set<Oid>(),
      cobs: new Set<Oid>(),
      history: new Set<Oid>(),
      /** Trees and blobs to which references point. */
      loose: new Set<Oid>(),
    };
    for (const { name, oid } of refs) {
      await this.#task.yield();
      // The target of a symbolic reference is itself in the list of references, if it is shown.
      if (oid === undefined || this.#published.has(oid)) continue;
      if (IDENTITY.test(name)) groups.identity.add(oid);
      else if (SIGREFS.test(name)) groups.sigrefs.add(oid);
      else if (COBS.test(name)) groups.cobs.add(oid);
      else await this.#addTip(oid, groups);
    }
    return groups;
  }

  /** Adds the target of a reference. Tags are added and followed. */
  async #addTip(oid: Oid, { history, loose }: { history: Set<Oid>; loose: Set<Oid> }): Promise<void> {
    let at = oid;
    for (let step = 0; step <= MAX_TAG_CHAIN && !this.#published.has(at); step++) {
      const kind = await this.#reads.kindOf(at);
      if (kind === "commit") history.add(at);
      else if (kind === "tree" || kind === "blob") loose.add(at);
      if (kind === undefined) this.#reads.unreadable.add(at);
      if (kind !== "tag") return;
      const tag = await this.#reads.object(at);
      if (tag === undefined) return;
      this.#tags.add(at);
      const target = tagTarget(tag);
      if (target === undefined) return;
      at = target;
    }
  }

  #blobsOf(rows: Uint32Array): OidList {
    return { length: rows.length, at: (index) => this.#blobs.oidOf(rows[index]!) };
  }

  /**
   * Finds the trees and blobs of commits, the oldest commit first.
   *
   * @returns For each commit, by its position in the order, the range of the trees that no older commit has:
   *   the rows from `starts[i + 1]` up to `starts[i]`. Trees to which references point come before all other
   *   trees.
   */
  async #findTrees(newestFirst: Uint32Array, loose: ReadonlySet<Oid>): Promise<Uint32Array> {
    const starts = new Uint32Array(newestFirst.length + 1);
    for (const oid of loose) await this.#addObjects(oid);
    for (let i = newestFirst.length - 1; i >= 0; i--) {
      starts[i + 1] = this.#trees.size;
      const tree = this.#commits.treeOf(newestFirst[i]!);
      if (tree !== undefined) await this.#addTrees(tree);
      await this.#task.yield();
    }
    starts[0] = this.#trees.size;
    return starts;
  }

  /**
   * Visits the trees and blobs of the commit of `HEAD`, then all other trees and blobs, from the newest
   * commits back.
   */
  async #walkBack(
    newestFirst: Uint32Array,
    head: Oid | undefined,
    loose: ReadonlySet<Oid>,
  ): Promise<MetObjects> {
    const blobs = new Uint32Array(this.#blobs.size);
    const trees = new Uint32Array(this.#trees.size);
    const names = new Uint32Array(blobs.length);
    const isTaken = new Uint8Array(blobs.length);
    const isVisited = new Uint8Array(trees.length);
    let blobCount = 0;
    let treeCount = 0;
    const visit = async (root: Oid) => {
      await this.#reads.visitTrees(root, (oid) => {
        const row = this.#trees.rowOf(oid);
        if (row === undefined || isVisited[row] === 1) return false;
        isVisited[row] = 1;
        trees[treeCount++] = row;
        return true;
      }, (oid, cursor) => {
        const row = this.#blobs.rowOf(oid);
        if (row === undefined || isTaken[row] === 1) return;
        isTaken[row] = 1;
        names[row] = hashName(cursor);
        blobs[blobCount++] = row;
      });
    };
    const headRow = head === undefined ? undefined : this.#commits.oids.rowOf(head);
    const headTree = headRow === undefined ? undefined : this.#commits.treeOf(headRow);
    if (headTree !== undefined) await visit(headTree);
    const isAlive = isVisited.slice();
    const aliveBlobs = blobCount;
    blobs.subarray(0, aliveBlobs).sort().reverse();
    const treeStarts = new Uint32Array(newestFirst.length + 1).fill(treeCount);
    for (let i = 0; i < newestFirst.length; i++) {
      const tree = this.#commits.treeOf(newestFirst[i]!);
      if (tree !== undefined) await visit(tree);
      treeStarts[i + 1] = treeCount;
      await this.#task.yield();
    }
    for (const oid of loose) if (this.#trees.rowOf(oid) !== undefined) await visit(oid);
    for (let row = 0; row < blobs.length; row++) if (isTaken[row] === 0) blobs[blobCount++] = row;
    for (let start = aliveBlobs, size = FIRST_STRETCH; start < blobs.length;) {
      const places = Uint32Array.from({ length: Math.min(size, blobs.length - start) }, (_, i) => start + i);
      places.sort((a, b) => names[blobs[a]!]! - names[blobs[b]!]! || a - b);
      blobs.set(places.map((place) => blobs[place]!), start);
      start += places.length;
      size = Math.min(2 * size, LAST_STRETCH);
      await this.#task.yield();
    }
    return { blobs, aliveBlobs, isAlive, trees, treeStarts };
  }

  /** Returns the tags, then the commits, newest first, each commit with its trees. */
  async #orderHistory(newestFirst: Uint32Array, starts: Uint32Array, met: MetObjects): Promise<OidList> {
    const tags = this.#tags;
    const commits = this.#commits;
    const trees = this.#trees;
    const rows = new Float64Array(tags.size + newestFirst.length + trees.size);
    const isTaken = new Uint8Array(trees.size);
    let length = 0;
    const takeTree = (tree: number) => {
      if (isTaken[tree] === 1) return;
      isTaken[tree] = 1;
      rows[length++] = tags.size + commits.oids.size + tree;
    };
    for (let row = 0; row < tags.size; row++) rows[length++] = row;
    for (let i = 0; i < newestFirst.length; i++) {
      const row = newestFirst[i]!;
      if (commits.treeOf(row) !== undefined) rows[length++] = tags.size + row;
      for (let tree = starts[i + 1]!; tree < starts[i]!; tree++) {
        if (met.isAlive[tree] === 1) takeTree(tree);
      }
      for (let at = met.treeStarts[i]!; at < met.treeStarts[i + 1]!; at++) takeTree(met.trees[at]!);
      if (i % ENTRIES_AT_ONCE === 0) await this.#task.yield();
    }
    for (let tree = 0; tree < trees.size; tree++) takeTree(tree);
    return { length, at: (index) => rowOf(rows[index]!, [tags, commits.oids, trees]) };
  }

  /** Adds a tree or blob to which a reference points. */
  async #addObjects(oid: Oid): Promise<void> {
    if (await this.#reads.kindOf(oid) === "tree") await this.#addTrees(oid);
    else if (!this.#published.has(oid)) this.#blobs.add(oid);
  }

  /** Adds a tree and everything below it, except for known objects. */
  async #addTrees(root: Oid): Promise<void> {
    await this.#reads.visitTrees(root, (oid) => {
      if (this.#published.has(oid)) return false;
      const { size } = this.#trees;
      return this.#trees.add(oid) === size;
    }, (oid) => {
      if (!this.#published.has(oid)) this.#blobs.add(oid);
    });
    this.#report();
  }

  /** Adds entries, newest first, each entry with its trees and blobs. */
  async #addEntries(commits: WalkedCommits): Promise<void> {
    for (const row of await commits.newestFirst(this.#task)) {
      const tree = commits.treeOf(row);
      if (tree === undefined) continue;
      this.#addEntryObject(commits.oids.oidOf(row));
      await this.#reads.visitTrees(
        tree,
        (oid) => this.#addEntryObject(oid),
        (oid) => this.#addEntryObject(oid),
      );
      await this.#task.yield();
      this.#report();
    }
  }

  /** Adds an object, unless it is published or in another list. Returns whether the object is new. */
  #addEntryObject(oid: Oid): boolean {
    const isKnown = this.#published.has(oid) ||
      [this.#commits.oids, this.#trees, this.#blobs].some((oids) => oids.rowOf(oid) !== undefined);
    const { size } = this.#cobs;
    return !isKnown && this.#cobs.add(oid) === size;
  }
}

/**
 * Returns those parents of an entry that are earlier entries. The other parents, which the message of the
 * entry names as links, are added to `linked`.
 */
function selectEntries(bytes: Uint8Array, parents: readonly Oid[], linked: Set<Oid>): readonly Oid[] {
  if (parents.length === 0) return parents;
  const text = new TextDecoder("latin1").decode(bytes);
  const message = text.slice(text.indexOf("\n\n") + 1);
  const links = new Set([...message.matchAll(LINKS)].map(([, oid]) => oid!));
  if (links.size === 0) return parents;
  for (const parent of parents) if (links.has(parent)) linked.add(parent);
  return parents.filter((parent) => !links.has(parent));
}

/** Returns a hash of the name of a tree entry (FNV-1a). Different names rarely have the same hash. */
function hashName({ bytes, nameStart, nameEnd }: TreeCursor): number {
  let hash = 0x811c9dc5;
  for (let at = nameStart; at < nameEnd; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}

function tagTarget({ bytes }: GitObject): Oid | undefined {
  const target = ifReadable(() => runSync(parseTag(bytes)).target);
  return target !== undefined && isOid(target) ? target : undefined;
}

/** Returns the id of a row. The rows of all tables are numbered consecutively. */
function rowOf(row: number, tables: readonly OidTable[]): Oid {
  let left = row;
  for (const table of tables) {
    if (left < table.size) return table.oidOf(left);
    left -= table.size;
  }
  throw new RangeError(`There is no row ${row}`);
}

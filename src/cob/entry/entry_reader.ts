/**
 * Reads entries from a repository in batches, and caches them. An entry is a signed change of an issue, a
 * patch or another collaborative object. Entries in the cache are not decoded or verified a second time.
 */
import type { LruMap } from "../../cache/lru_map.ts";
import { Memory } from "../../cache/memory.ts";
import { ifReadable } from "../../errors.ts";
import { isGitCommit } from "../../git/like_git.ts";
import { importPublicKey } from "../../keys/ed25519.ts";
import { formatNid } from "../../ids/nid.ts";
import { type Oid, oidToBytes } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Steps, Task } from "../../scheduling/task.ts";
import { type Entry, MAX_ACTION_BYTES } from "./entry.ts";
import { beginToVerify } from "./entry_signature.ts";
import {
  type EntryCommit,
  type EntryTree,
  isManifest,
  MAX_ENTRY_COMMIT_BYTES,
  MAX_ENTRY_TREE_BYTES,
  MAX_MANIFEST_BYTES,
  parseEntryCommit,
  parseEntryTree,
} from "./entry_commit.ts";
import { type ObjectFound, type ObjectWish, visitObjects } from "./object_batches.ts";
import type { Rules } from "../rules.ts";
import type { JsonNode } from "../../text/json_index.ts";
import { readActionJson } from "./stored_json.ts";

/**
 * Decodes an action, which is one step of an entry, from a JSON value. Returns `undefined` for an action that
 * the generation of Radicle programs does not know.
 */
export type DecodeAction<A> = (value: JsonNode) => Steps<A | undefined>;

/**
 * An entry, or the reason why the entry was not read: `missing` when the commit does not exist, `unreadable`
 * when the commit is not an entry, `damaged` when git cannot read the object as a commit.
 */
export type EntryFound<A> = Entry<A> | "missing" | "unreadable" | "damaged";

/** Maximum total size of an entry's actions, in bytes, with which the entry is cached. */
const LARGE_ENTRY_BYTES = 2 ** 20;
/**
 * Total size of the actions in one call, in bytes, beyond which entries may be returned without their
 * actions.
 */
const READ_BYTES = 2 ** 20;
/** Approximate memory of a cached entry without its actions, in bytes. */
export const ENTRY_BYTES = 1024;
const ID_BYTES = 160;

const COMMIT: ObjectWish = { kind: "commit", limitBytes: MAX_ENTRY_COMMIT_BYTES };
const TREE: ObjectWish = { kind: "tree", limitBytes: MAX_ENTRY_TREE_BYTES };
const MANIFEST: ObjectWish = { kind: "blob", limitBytes: MAX_MANIFEST_BYTES };
const BLOB: ObjectWish = { kind: "blob", limitBytes: MAX_ACTION_BYTES, takesTags: true };
const SMALL_BLOB: ObjectWish = { kind: "blob", limitBytes: LARGE_ENTRY_BYTES };

interface ReadCommit extends EntryCommit {
  readonly id: Oid;
  readonly isMalformed?: boolean;
}

interface ReadTree extends EntryTree {
  readonly commit: ReadCommit;
}

interface Draft {
  readonly commit: ReadCommit;
  /** Number of actions, which come first in `blobs`. The other blobs must exist, but are not read. */
  readonly actions: number;
  readonly blobs: readonly Oid[];
  readonly texts: Uint8Array[];
  readonly releases: (() => void)[];
  seen: number;
  bytes: number;
  /** Whether the blobs are only checked to exist, and their bytes are dropped. */
  isBare: boolean;
}

interface CachedEntry<A> {
  readonly entry: Entry<A>;
  readonly bytes: number;
}

/** Reads and caches the entries of one type of object in all repositories. */
export class EntryReader<A> {
  readonly #decode: DecodeAction<A>;
  readonly #entries: LruMap<string, CachedEntry<A>>;
  /**
   * The result of checking each manifest. Few manifests are valid, one for each type of object and version.
   */
  readonly #manifests: LruMap<Oid, "sound" | "unsound">;
  readonly rules: Rules;
  /**
   * Commits that are not entries. All repositories share this map, because the id of a commit determines its
   * content.
   */
  readonly #unreadable: LruMap<Oid, "unreadable" | "damaged">;

  constructor(decode: DecodeAction<A>, rules: Rules, memory: Memory = new Memory()) {
    this.#decode = decode;
    this.rules = rules;
    this.#entries = memory.map("entries", ({ bytes }) => bytes);
    this.#unreadable = memory.map("entries", () => ID_BYTES);
    this.#manifests = memory.map("entries", () => ID_BYTES);
  }

  /**
   * Reads the entries with the given ids, and returns them in the order of the ids. Missing entries are not
   * cached, because they may be fetched later.
   *
   * @param maySpare Whether large entries may be returned without their actions (`isBare`), to save memory.
   */
  async read(
    repository: Repository,
    oids: readonly Oid[],
    task: Task,
    maySpare = false,
  ): Promise<readonly EntryFound<A>[]> {
    const found = oids.map((oid) =>
      this.#entries.get(`${repository.rid} ${oid}`)?.entry ?? this.#unreadable.get(oid)
    );
    const wanted = oids.filter((_, i) => found[i] === undefined);
    if (wanted.length === 0) return found as EntryFound<A>[];
    const loaded = await this.#load(repository, wanted, task, maySpare);
    return oids.map((oid, i) => found[i] ?? loaded.get(oid) ?? "missing");
  }

  async #load(
    repository: Repository,
    oids: readonly Oid[],
    task: Task,
    maySpare: boolean,
  ): Promise<ReadonlyMap<Oid, EntryFound<A>>> {
    const found = new Map<Oid, EntryFound<A>>();
    const commits: ReadCommit[] = [];
    await visitObjects(repository, oids, COMMIT, task, (object, i) => {
      const id = oids[i]!;
      const commit = this.#readCommit(id, object);
      if (typeof commit === "object") commits.push(commit);
      else found.set(id, commit);
    });
    const trees: ReadTree[] = [];
    await visitObjects(repository, commits.map(({ tree }) => tree), TREE, task, (object, i) => {
      const commit = commits[i]!;
      const tree = object instanceof Uint8Array ? ifReadable(() => parseEntryTree(object)) : object;
      if (tree === "missing") found.set(commit.id, "unreadable");
      else if (tree === undefined || "header" in tree) {
        found.set(commit.id, this.#refuse(commit.id, !commit.isMalformed));
      } else trees.push({ commit, ...tree });
    });
    const manifests = await this.#checkManifests(repository, trees, task);
    const drafts = trees.flatMap(({ commit, manifest, actions, hidden }): Draft[] => {
      const state = manifests.get(manifest);
      if (state === "sound") {
        const blobs = [...actions, ...hidden];
        const counted = { texts: [], releases: [], seen: 0, bytes: 0, isBare: false };
        return [{ commit, actions: actions.length, blobs, ...counted }];
      }
      found.set(commit.id, state === undefined ? "unreadable" : this.#refuse(commit.id, !commit.isMalformed));
      return [];
    });
    const blobs = drafts.flatMap((draft) => draft.blobs.map((oid) => ({ draft, oid })));
    const wish = maySpare ? SMALL_BLOB : BLOB;
    let heldBytes = 0;
    await visitObjects(repository, blobs.map(({ oid }) => oid), wish, task, (object, i, release) => {
      const { draft } = blobs[i]!;
      const { id } = draft.commit;
      const size = object instanceof Uint8Array
        ? object.length
        : object !== "missing" && object.header.kind === "blob"
        ? object.header.size
        : undefined;
      if (object === "missing") found.set(id, "unreadable");
      else if (size === undefined || draft.bytes + size > MAX_ACTION_BYTES) {
        found.set(id, this.#refuse(id, !draft.commit.isMalformed));
      }
      if (release !== undefined) draft.releases.push(release);
      if (found.has(id) || size === undefined) return dropTexts(draft);
      draft.seen++;
      draft.bytes += size;
      if (object instanceof Uint8Array) {
        heldBytes += size;
        draft.texts.push(object);
      }
      draft.isBare ||= !(object instanceof Uint8Array) || maySpare && heldBytes > READ_BYTES;
      if (draft.isBare) dropTexts(draft);
      if (draft.seen < draft.blobs.length) return;
      const entry = task.run(this.#build(draft));
      const finish = (entry: Entry<A>) => {
        found.set(id, this.#cache(repository, entry));
        dropTexts(draft);
      };
      return entry instanceof Promise ? entry.then(finish) : finish(entry);
    }, (i) => !found.has(blobs[i]!.draft.commit.id));
    return found;
  }

  #readCommit(id: Oid, object: ObjectFound): ReadCommit | "missing" | "unreadable" | "damaged" {
    if (object === "missing") return object;
    if (!(object instanceof Uint8Array)) return this.#refuse(id, object.header.kind === "commit");
    const isCommit = isGitCommit(object);
    const commit = ifReadable(() => parseEntryCommit(object, this.rules));
    if (commit === undefined) return this.#refuse(id, isCommit);
    return { id, ...commit, ...!isCommit && { isMalformed: true } };
  }

  /**
   * Caches that a commit is not an entry. This result depends only on the commit, so it remains valid when
   * the repository changes.
   *
   * @param isCommit Whether git can read the object as a commit.
   */
  #refuse(id: Oid, isCommit: boolean): "unreadable" | "damaged" {
    const state = isCommit ? "unreadable" : "damaged";
    this.#unreadable.set(id, state);
    return state;
  }

  async #checkManifests(
    repository: Repository,
    trees: readonly ReadTree[],
    task: Task,
  ): Promise<ReadonlyMap<Oid, "sound" | "unsound">> {
    const found = new Map<Oid, "sound" | "unsound">();
    const unknown = new Set<Oid>();
    for (const { manifest } of trees) {
      const cached = this.#manifests.get(manifest);
      if (cached === undefined) unknown.add(manifest);
      else found.set(manifest, cached);
    }
    const oids = [...unknown];
    await visitObjects(repository, oids, MANIFEST, task, async (object, i) => {
      if (object === "missing") return;
      const isSound = object instanceof Uint8Array && await task.run(isManifest(object));
      found.set(oids[i]!, isSound ? "sound" : "unsound");
      this.#manifests.set(oids[i]!, isSound ? "sound" : "unsound");
    });
    return found;
  }

  /** Caches an entry unless it is large, because one large entry would evict hundreds of small entries. */
  #cache(repository: Repository, entry: Entry<A>): Entry<A> {
    const { bytes } = entry;
    if (!entry.isBare && bytes <= LARGE_ENTRY_BYTES) {
      this.#entries.set(`${repository.rid} ${entry.id}`, { entry, bytes: ENTRY_BYTES + bytes });
    }
    return entry;
  }

  *#build({ commit, texts, bytes, isBare, actions: count }: Draft): Steps<Entry<A>> {
    const { publicKey, signature, tree, ...others } = commit;
    const imported = importPublicKey(publicKey);
    if (imported !== undefined) yield imported;
    return {
      ...others,
      author: formatNid(publicKey),
      signature: beginToVerify(this.rules.signatures, { publicKey, message: oidToBytes(tree), signature }),
      actions: isBare ? undefined : yield* this.#decodeAll(texts.slice(0, count)),
      bytes,
      ...isBare && { isBare },
    };
  }

  *#decodeAll(texts: readonly Uint8Array[]): Steps<readonly A[] | undefined> {
    const actions: A[] = [];
    for (const text of texts) {
      const value = yield* readActionJson(text);
      const action = value && (yield* this.#decode(value));
      value?.release();
      if (action === undefined) return undefined;
      actions.push(action);
      yield undefined;
    }
    return actions;
  }
}

function dropTexts({ texts, releases }: Draft): void {
  texts.length = 0;
  for (const release of releases.splice(0)) release();
}

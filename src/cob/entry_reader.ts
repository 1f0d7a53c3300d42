/** Reads entries from a repository, several at a time, and remembers them: none is decoded or verified twice while there is room. */
import { LruMap } from "../cache/lru_map.ts";
import { DamagedError } from "../errors.ts";
import { OidTable } from "../git/oid_table.ts";
import { isGitCommit } from "../git/like_git.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";
import { formatNid, type NodeId } from "../ids/nid.ts";
import { type Oid, oidToBytes } from "../ids/oid.ts";
import type { GitObject, ObjectKind, Repository } from "../ports/storage.ts";
import {
  checkManifest,
  type Entry,
  type EntryCommit,
  type EntryTree,
  MAX_ACTION_BYTES,
  parseEntryCommit,
  parseEntryTree,
} from "./entry.ts";
import type { Rules } from "./rules.ts";
import { parseStoredJson } from "./stored_json.ts";

/** The action that a JSON value is; `undefined` when it is none that the rules in force know. */
export type DecodeAction<A> = (value: unknown) => A | undefined;

/** An entry, or why there is none: no such commit, one that is no entry, or one that is not even a commit to git. */
export type EntryFound<A> = Entry<A> | "missing" | "unreadable" | "damaged";

/** What remembered entries may weigh together, in bytes of actions and {@link ENTRY_BYTES} for each. */
export const REMEMBERED_ENTRY_BYTES = 64 * 1024 * 1024;
/** What an entry without its actions is taken to need. */
export const ENTRY_BYTES = 1024;
/** Authors whose ids are remembered by their keys. */
const REMEMBERED_AUTHORS = 1024;
/** Manifests known to be sound or not; there are as many sound ones as types and versions. */
const REMEMBERED_MANIFESTS = 64;
/**
 * Commits that are remembered to be no entries whatever else a repository holds, so that nobody has to read them again. Each takes less than a
 * hundred bytes; when there are more, all are forgotten.
 */
export const REMEMBERED_UNREADABLE = 65_536;

interface Remembered<A> {
  readonly entry: Entry<A>;
  readonly bytes: number;
}

/** Entries of one type of object, of all repositories. */
export class EntryReader<A> {
  readonly #decode: DecodeAction<A>;
  readonly #entries = new LruMap<string, Remembered<A>>(REMEMBERED_ENTRY_BYTES, ({ bytes }) => bytes);
  readonly #authors = new LruMap<string, NodeId>(REMEMBERED_AUTHORS);
  readonly #manifests = new LruMap<Oid, "sound" | "unsound">(REMEMBERED_MANIFESTS);
  /** How commits of entries are read. */
  readonly rules: Rules;
  /** Of all repositories: what a commit is follows from its id. */
  readonly #unreadable = new Unreadable();

  /** A reader of entries whose actions `decode` makes; `rules` say how their commits are read. */
  constructor(decode: DecodeAction<A>, rules: Rules) {
    this.#decode = decode;
    this.rules = rules;
  }

  /** The entries of these ids, in their order. What is missing is asked for again each time: it may be there then. */
  async read(repository: Repository, oids: readonly Oid[]): Promise<EntryFound<A>[]> {
    const found = oids.map((oid) =>
      this.#entries.get(`${repository.rid} ${oid}`)?.entry ?? this.#unreadable.get(oid)
    );
    const wanted = oids.filter((_, i) => found[i] === undefined);
    if (wanted.length === 0) return found as EntryFound<A>[];
    const loaded = new Map(
      (await this.#load(repository, wanted)).map((entry, i) => [wanted[i]!, entry] as const),
    );
    return oids.map((oid, i) => found[i] ?? loaded.get(oid) ?? "missing");
  }

  async #load(repository: Repository, oids: readonly Oid[]): Promise<EntryFound<A>[]> {
    const objects = await readAll(repository, oids, "commit");
    const commits = objects.map((object) =>
      object === "missing" ? object : attempt(() => parseEntryCommit(object, this.rules))
    );
    const trees = await readAll(
      repository,
      commits.map((commit) => isSound(commit) ? commit.tree : undefined),
      "tree",
    );
    const contents = trees.map((object) =>
      object === "missing" ? object : attempt(() => parseEntryTree(object))
    );
    const manifests = await this.#checkManifests(repository, contents.filter(isSound));
    const blobs = await readAll(
      repository,
      contents.flatMap((tree) => isSound(tree) ? [...tree.actions, ...tree.hidden] : []),
      "blob",
    );
    let at = 0;
    return commits.map((commit, i) => {
      const [oid, object, tree] = [oids[i]!, objects[i]!, contents[i]!];
      if (commit === "missing" || object === "missing") return "missing";
      const isCommit = isGitCommit(object);
      if (commit === "unreadable") return this.#unreadable.add(oid, isCommit);
      if (tree === "missing") return "unreadable";
      if (tree === "unreadable") return this.#unreadable.add(oid, isCommit);
      const actions = blobs.slice(at, at += tree.actions.length);
      const hidden = blobs.slice(at, at += tree.hidden.length);
      const manifest = manifests.get(tree.manifest);
      if (manifest === "unsound") return this.#unreadable.add(oid, isCommit);
      if (manifest === undefined || hidden.includes("missing")) return "unreadable";
      return this.#build(repository, oid, { ...commit, ...!isCommit && { isMalformed: true } }, actions);
    });
  }

  /** Which manifests are sound; those that are missing are left out. */
  async #checkManifests(
    repository: Repository,
    trees: readonly EntryTree[],
  ): Promise<ReadonlyMap<Oid, "sound" | "unsound">> {
    const oids = [...new Set(trees.map((tree) => tree.manifest))];
    const found = new Map(oids.map((oid) => [oid, this.#manifests.get(oid)]));
    const unknown = oids.filter((oid) => found.get(oid) === undefined);
    const blobs = await readAll(repository, unknown, "blob");
    for (const [i, oid] of unknown.entries()) {
      const blob = blobs[i]!;
      if (blob === "missing") continue;
      const manifest = attempt(() => checkManifest(blob)) === "unreadable" ? "unsound" : "sound";
      found.set(oid, manifest);
      this.#manifests.set(oid, manifest);
    }
    return new Map([...found].filter((pair): pair is [Oid, "sound" | "unsound"] => pair[1] !== undefined));
  }

  #build(
    repository: Repository,
    id: Oid,
    commit: EntryCommit & Pick<Entry<A>, "isMalformed">,
    blobs: readonly (Uint8Array | "missing")[],
  ): EntryFound<A> {
    const texts = blobs.filter((blob) => blob !== "missing");
    if (texts.length < blobs.length) return "unreadable";
    const size = texts.reduce((sum, blob) => sum + blob.length, 0);
    if (size > MAX_ACTION_BYTES) return this.#unreadable.add(id, !commit.isMalformed);
    const { publicKey, signature, tree, ...others } = commit;
    const entry: Entry<A> = {
      id,
      author: this.#authors.getOrMake(publicKey.join(), () => formatNid(publicKey)),
      ...others,
      isAuthentic: verifyEd25519(publicKey, oidToBytes(tree), signature),
      actions: this.#decodeAll(texts),
    };
    this.#entries.set(`${repository.rid} ${id}`, { entry, bytes: ENTRY_BYTES + size });
    return entry;
  }

  /** All actions; `undefined` when one is none. */
  #decodeAll(texts: readonly Uint8Array[]): readonly A[] | undefined {
    const actions: A[] = [];
    for (const text of texts) {
      const value = parseStoredJson(text);
      const action = value === undefined ? undefined : this.#decode(value);
      if (action === undefined) return undefined;
      actions.push(action);
    }
    return actions;
  }
}

/** Commits that are no entries, in two bounded tables: those that git takes for commits, and others. */
class Unreadable {
  #commits = new OidTable();
  #others = new OidTable();

  get(oid: Oid): "unreadable" | "damaged" | undefined {
    if (this.#commits.rowOf(oid) !== undefined) return "unreadable";
    return this.#others.rowOf(oid) === undefined ? undefined : "damaged";
  }

  add(oid: Oid, isCommit: boolean): "unreadable" | "damaged" {
    if (this.#commits.size + this.#others.size >= REMEMBERED_UNREADABLE) {
      this.#commits = new OidTable();
      this.#others = new OidTable();
    }
    (isCommit ? this.#commits : this.#others).add(oid);
    return isCommit ? "unreadable" : "damaged";
  }
}

/** The bytes of objects of one kind; absent, damaged and other ones are missing. */
async function readAll(
  repository: Repository,
  oids: readonly (Oid | undefined)[],
  kind: ObjectKind,
): Promise<(Uint8Array | "missing")[]> {
  const wanted = oids.filter((oid) => oid !== undefined);
  const objects = wanted.length === 0 ? [] : await readObjects(repository, wanted);
  const bytes = new Map(
    wanted.map((oid, i) => [oid, objects[i]?.kind === kind ? objects[i].bytes : undefined]),
  );
  return oids.map((oid) => (oid === undefined ? undefined : bytes.get(oid)) ?? "missing");
}

/** A damaged object does not spoil the others. */
async function readObjects(
  repository: Repository,
  oids: readonly Oid[],
): Promise<readonly (GitObject | undefined)[]> {
  try {
    return await repository.objects(oids);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    if (oids.length === 1) return [undefined];
    const middle = oids.length >> 1;
    return [
      ...await readObjects(repository, oids.slice(0, middle)),
      ...await readObjects(repository, oids.slice(middle)),
    ];
  }
}

function attempt<T>(parse: () => T): T | "unreadable" {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DamagedError) return "unreadable";
    throw error;
  }
}

function isSound<T extends object>(found: T | "missing" | "unreadable"): found is T {
  return typeof found === "object";
}

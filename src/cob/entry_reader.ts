/** Reads entries from a repository, several at a time, and remembers them: none is decoded or verified twice while there is room. */
import { LruMap } from "../cache/lru_map.ts";
import { DamagedError } from "../errors.ts";
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
  parseJson,
} from "./entry.ts";

/** The action that a JSON value is; `undefined` when it is none that the rules in force know. */
export type DecodeAction<A> = (value: unknown) => A | undefined;

/** An entry, or why there is none: no such commit, or one that is no entry. */
export type EntryFound<A> = Entry<A> | "missing" | "unreadable";

/** What remembered entries may weigh together, in bytes of actions and {@link ENTRY_BYTES} for each. */
export const REMEMBERED_ENTRY_BYTES = 64 * 1024 * 1024;
/** What an entry without its actions is taken to need. */
export const ENTRY_BYTES = 1024;
/** Authors whose ids are remembered by their keys. */
const REMEMBERED_AUTHORS = 1024;
/** Manifests known to be sound; there are as many as types and versions. */
const REMEMBERED_MANIFESTS = 64;

interface Remembered<A> {
  readonly entry: Entry<A>;
  readonly bytes: number;
}

/** Entries of one type of object, of all repositories. */
export class EntryReader<A> {
  readonly #decode: DecodeAction<A>;
  readonly #entries = new LruMap<string, Remembered<A>>(REMEMBERED_ENTRY_BYTES, ({ bytes }) => bytes);
  readonly #authors = new LruMap<string, NodeId>(REMEMBERED_AUTHORS);
  readonly #manifests = new LruMap<Oid, true>(REMEMBERED_MANIFESTS);

  constructor(decode: DecodeAction<A>) {
    this.#decode = decode;
  }

  /** The entries of these ids, in their order. What is missing or unreadable is asked for again each time: it may be there then. */
  async read(repository: Repository, oids: readonly Oid[]): Promise<EntryFound<A>[]> {
    const found = oids.map((oid) => this.#entries.get(`${repository.rid} ${oid}`)?.entry);
    const wanted = oids.filter((_, i) => found[i] === undefined);
    if (wanted.length === 0) return found as Entry<A>[];
    const loaded = new Map(
      (await this.#load(repository, wanted)).map((entry, i) => [wanted[i]!, entry] as const),
    );
    return oids.map((oid, i) => found[i] ?? loaded.get(oid) ?? "missing");
  }

  async #load(repository: Repository, oids: readonly Oid[]): Promise<EntryFound<A>[]> {
    const commits = (await readAll(repository, oids, "commit")).map((object) =>
      object === "missing" ? object : attempt(() => parseEntryCommit(object))
    );
    const trees = await readAll(
      repository,
      commits.map((commit) => isSound(commit) ? commit.tree : undefined),
      "tree",
    );
    const contents = trees.map((object) =>
      object === "missing" ? "unreadable" : attempt(() => parseEntryTree(object))
    );
    await this.#checkManifests(repository, contents.filter(isSound));
    const blobs = await readAll(
      repository,
      contents.flatMap((tree) => isSound(tree) ? tree.actions : []),
      "blob",
    );
    let at = 0;
    return commits.map((commit, i) => {
      const tree = contents[i]!;
      if (!isSound(commit)) return commit;
      if (!isSound(tree)) return tree;
      const actions = blobs.slice(at, at += tree.actions.length);
      return this.#manifests.get(tree.manifest) === undefined
        ? "unreadable"
        : this.#build(repository, oids[i]!, commit, actions);
    });
  }

  async #checkManifests(repository: Repository, trees: readonly EntryTree[]): Promise<void> {
    const unknown = [...new Set(trees.map((tree) => tree.manifest))].filter((oid) =>
      this.#manifests.get(oid) === undefined
    );
    const blobs = await readAll(repository, unknown, "blob");
    unknown.forEach((oid, i) => {
      const blob = blobs[i]!;
      if (blob !== "missing" && attempt(() => checkManifest(blob)) === undefined) {
        this.#manifests.set(oid, true);
      }
    });
  }

  #build(
    repository: Repository,
    id: Oid,
    commit: EntryCommit,
    blobs: readonly (Uint8Array | "missing")[],
  ): EntryFound<A> {
    const texts = blobs.filter((blob) => blob !== "missing");
    const size = texts.reduce((sum, blob) => sum + blob.length, 0);
    if (texts.length < blobs.length || size > MAX_ACTION_BYTES) return "unreadable";
    const { publicKey, signature, timeSeconds, parents, resource } = commit;
    const actions = texts.map((text) => this.#decode(parseJson(text))).filter((action) =>
      action !== undefined
    );
    const entry: Entry<A> = {
      id,
      author: this.#authors.getOrMake(publicKey.join(), () => formatNid(publicKey)),
      timeSeconds,
      parents,
      resource,
      isAuthentic: verifyEd25519(publicKey, oidToBytes(commit.tree), signature),
      actions: actions.length === texts.length ? actions : undefined,
    };
    this.#entries.set(`${repository.rid} ${id}`, { entry, bytes: ENTRY_BYTES + size });
    return entry;
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

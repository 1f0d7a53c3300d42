/** The objects of repositories: found by their references, evaluated, remembered for as long as their references stay where they are. */
import { LruMap } from "../../cache/lru_map.ts";
import { DamagedError } from "../../errors.ts";
import type { CommitIndex } from "../../git/commit_index.ts";
import { type ResolvedRef, resolveRefs } from "../../git/references.ts";
import { followTags } from "../../git/tags.ts";
import type { NodeId } from "../../ids/nid.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import type { Environment } from "../../ports/environment.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Repository } from "../../ports/storage.ts";
import { OneByOne } from "../../time/one_by_one.ts";
import { atOnce, Turns } from "../../time/turns.ts";
import { findLostEntry } from "./brake.ts";
import { EntryReader } from "../entry/entry_reader.ts";
import { evaluate, type Evaluation, extend, type ObjectType } from "./evaluation.ts";
import { type Graph, loadGraph } from "../entry/graph.ts";
import type { Issue, IssueAction } from "../issue/issue.ts";
import { issueType, patchType } from "./object_types.ts";
import type { Op, Stamp } from "../op.ts";
import type { PatchAction, PatchOp } from "../patch/patch.ts";
import type { Patch } from "../patch/patch_state.ts";
import { Refusal } from "../refusal.ts";
import { type Generation, RULES, type Rules } from "../rules.ts";
import { hasRoom, NO_TEXTS, TAG_BYTES } from "./text_budget.ts";
import { createDocsByCommit, type DocsByCommit, World } from "./world.ts";

/** Memory for objects of one type under all rules, in bytes: their texts, {@link ENTRY_WEIGHT} for each entry, and {@link TAG_BYTES} for each label and assignee. */
export const REMEMBERED_BYTES = 64 * 2 ** 20;
/** What an entry of an object takes besides its texts, about, in bytes. */
export const ENTRY_WEIGHT = 256;
/** Memory for outlines of long objects of one type, in bytes, with {@link OUTLINE_WEIGHT} for each entry. */
export const REMEMBERED_OUTLINE_BYTES = 16 * 2 ** 20;
/** What an entry takes in an outline, about, in bytes. */
export const OUTLINE_WEIGHT = 1024;
/** Memory for lists of objects of one type as they were last asked for, in bytes; an object takes {@link ENTRY_WEIGHT} besides its texts. */
export const REMEMBERED_LIST_BYTES = 64 * 2 ** 20;
/** Texts of all objects in a list, in bytes: of objects beyond that a list has outlines. */
export const LIST_TEXT_BYTES = 24 * 2 ** 20;
/** Texts of an object, in bytes, beyond which it counts as long in lists. */
export const LONG_OBJECT_BYTES = 256 * 1024;
/** Texts of all long objects in a list, in bytes, so that there is room for the others. */
export const LONG_OBJECTS_BYTES = 8 * 2 ** 20;
/** Objects of a list that get a line in the log when they are left out. */
export const MAX_LOGGED_OBJECTS = 10;
/** Objects that are evaluated at once, so that a storage with slow answers is not asked for one thing at a time. */
const EVALUATED_AT_ONCE = 16;

/** What is known of an object, failures included. */
interface Remembered<S> {
  /** What its references pointed to, ascending. */
  readonly targets: readonly Oid[];
  readonly evaluation: Evaluation<S> | undefined;
  /** State of the repository's objects before: while it is the same, what failed or was incomplete need not be tried again. */
  readonly objectsVersion?: number | undefined;
}

/** All objects of a repository, for as long as the references lead where they did and nothing else has been learnt of one. */
interface RememberedList<S> {
  refs: readonly ResolvedRef[];
  readonly heads: ReadonlyMap<string, Oid | undefined>;
  readonly states: readonly S[];
  /** As of {@link Remembered}; absent where nothing failed or was incomplete. */
  readonly objectsVersion: number | undefined;
  /** Bytes of the texts in the states. */
  readonly bytes: number;
}

/** An object in a list. */
interface Listed<S> {
  readonly state: S;
  readonly heads: Evaluation<S>["heads"];
  readonly isComplete: boolean;
}

/** The outline of an object. */
interface Outline<S> extends Listed<S> {
  readonly targets: readonly Oid[];
  readonly size: number;
}

/** An entry that may be written. */
export interface WouldBeEntry extends Stamp {
  /** JSON values of the actions. */
  readonly actions: readonly unknown[];
  /** The identity in force. */
  readonly resource: Oid;
  /** Size of the actions. */
  readonly bytes: number;
}

/** What one more entry makes of an object. */
export interface Preview<S> {
  readonly state: S;
  /** References that had a part in it. */
  readonly heads: Evaluation<S>["heads"];
  /** Size of the entry's actions. */
  readonly bytes: number;
}

/** An entry that was written, and what it made of its object. */
export interface Extension<S> {
  readonly object: Oid;
  /** Where the reference led that leads to the entry now. */
  readonly from: Oid | undefined;
  /** The entry. */
  readonly to: Oid;
  /** What it was written on top of; none for the first of an object. */
  readonly earlier?: Evaluation<S>;
  readonly next: Preview<S>;
}

/** The objects of one type. */
export class ObjectStore<A, O extends Op<A>, S> {
  readonly #type: ObjectType<A, O, S>;
  /** The rules that objects are evaluated by. */
  readonly rules: Rules;
  readonly #docs: DocsByCommit;
  readonly #log: Environment["log"];
  readonly #reader: EntryReader<A>;
  /** By rules, repository and object. All stores of the same objects share it. */
  #remembered: LruMap<string, Remembered<S>>;
  /** Outlines of long objects, for lists after the objects themselves have made room for others. */
  readonly #outlines = new LruMap<string, Outline<S>>(
    REMEMBERED_OUTLINE_BYTES,
    ({ size }) => OUTLINE_WEIGHT * size,
  );
  /** Objects that need much memory are evaluated one after the other. */
  #large = new OneByOne();
  readonly #running = new Map<string, Promise<Remembered<S>>>();
  readonly #lists = new LruMap<RepoId, RememberedList<S>>(
    REMEMBERED_LIST_BYTES,
    ({ refs, bytes }) => ENTRY_WEIGHT * Math.max(refs.length, 1) + bytes,
  );
  /** Entries by the references that are read as if they led there, too. All stores of the same objects share them. */
  #held = new Map<RepoId, Map<string, Oid>>();
  /** The same objects under other rules, this store included. All of them share these. */
  #stores = new Map<Rules, ObjectStore<A, O, S>>();
  /** Among these. */
  #number = 0;

  constructor(
    type: ObjectType<A, O, S>,
    rules: Rules,
    docs: DocsByCommit,
    log: Environment["log"],
    rememberedBytes: number = REMEMBERED_BYTES,
    reader: EntryReader<A> = new EntryReader((value) => type.decode(value, rules), rules),
  ) {
    this.#type = type;
    this.rules = rules;
    this.#docs = docs;
    this.#log = log;
    this.#reader = reader;
    this.#stores.set(rules, this);
    this.#remembered = new LruMap(
      rememberedBytes,
      ({ evaluation }) =>
        evaluation === undefined
          ? ENTRY_WEIGHT
          : ENTRY_WEIGHT * evaluation.size + TAG_BYTES * type.countTags(evaluation.state) +
            evaluation.texts.bytes,
    );
  }

  /** Type of the objects, as references and manifests have it. */
  get typeName(): CachedType {
    return this.#type.name;
  }

  /** The same objects under other rules: a store of its own, made once, which knows what {@link hold} said here. */
  under(rules: Rules): ObjectStore<A, O, S> {
    const known = this.#stores.get(rules);
    if (known !== undefined) return known;
    const store = new ObjectStore(this.#type, rules, this.#docs, this.#log);
    store.#held = this.#held;
    store.#stores = this.#stores;
    store.#remembered = this.#remembered;
    store.#large = this.#large;
    store.#number = this.#stores.size;
    this.#stores.set(rules, store);
    return store;
  }

  /** An action that anybody may do to an object, and that has no effect. */
  idle(state: S, author: NodeId): A {
    return this.#type.idle(state, author);
  }

  /** From now on the reference `name`, as long as it exists, is read as if it led to that entry besides the one that it leads to. */
  hold(rid: RepoId, name: string, entry: Oid): void {
    const held = this.#held.get(rid);
    if (held === undefined) this.#held.set(rid, new Map([[name, entry]]));
    else held.set(name, entry);
  }

  /** What {@link hold} said of a reference. */
  held(rid: RepoId, name: string): Oid | undefined {
    return this.#held.get(rid)?.get(name);
  }

  /** Ends what {@link hold} began. */
  release(rid: RepoId, name: string): void {
    const held = this.#held.get(rid);
    held?.delete(name);
    if (held?.size === 0) this.#held.delete(rid);
  }

  /**
   * What one more entry would make of an object, or the first one of an object that is not there yet. Neither stored nor remembered.
   *
   * @throws {Refusal} when the entry would not count.
   */
  async preview(
    repository: Repository,
    index: CommitIndex,
    entry: WouldBeEntry,
    state: S | undefined,
  ): Promise<Preview<S>> {
    const world = new World(repository, index, this.#docs);
    const { id, author, timeSeconds, resource } = entry;
    const actions = entry.actions.map((value) => atOnce(this.#type.decode(value, this.rules)))
      .filter((action) => action !== undefined);
    if (actions.length < entry.actions.length) throw new Refusal("malformed", "An action is not known");
    const stamped = { id, author, timeSeconds, actions, doc: await world.doc(resource, this.rules) };
    const op = await this.#type.prepare(stamped, state, world, this.rules);
    const { bytes } = entry;
    if (state === undefined) return { state: this.#type.open(op, this.rules), heads: world.heads, bytes };
    const next = this.#type.copy(state);
    this.#type.begin(next, id);
    this.#type.apply(next, op, this.rules);
    return { state: next, heads: world.heads, bytes };
  }

  /** Remembers what an entry made of its object, so that nobody has to read it back. An outcome that more entries could change is not taken. */
  extend(rid: RepoId, { object, from, to, earlier, next: { state, heads, bytes } }: Extension<S>): void {
    const key = this.#key(rid, object);
    const known = this.#remembered.get(key);
    if (earlier === undefined ? known !== undefined : known?.evaluation !== earlier) return;
    const before = earlier ??
      { kept: [], size: 0, texts: NO_TEXTS, isWhole: true, isComplete: true, heads: new Map() };
    if (!before.isWhole || !before.isComplete) return;
    const { texts } = before;
    // A budget decides what is kept of a long one.
    if (texts.limitBytes !== Infinity || !hasRoom(texts, bytes)) return;
    this.#lists.delete(rid);
    this.#remembered.set(key, {
      targets: ascending([...known?.targets.filter((oid) => oid !== from) ?? [], to]),
      evaluation: {
        ...before,
        state,
        tips: [to],
        kept: [...before.kept.filter((oid) => oid !== from), to],
        size: before.size + 1,
        texts: { ...texts, bytes: texts.bytes + bytes },
        heads: new Map([...before.heads, ...heads]),
      },
    });
  }

  /**
   * All objects of a repository in ascending order of their ids; those that cannot be evaluated are left out, each of the first {@link MAX_LOGGED_OBJECTS} with a line in the log. The same
   * array for as long as nothing has changed.
   */
  async list(repository: Repository, index: CommitIndex): Promise<readonly S[]> {
    const world = new World(repository, index, this.#docs);
    const refs = await resolveRefs(repository, `refs/namespaces/*/refs/cobs/${this.#type.name}/`);
    const held = this.#held.get(repository.rid);
    const isPlain = held === undefined || refs.every(({ name, oid }) => (held.get(name) ?? oid) === oid);
    const known = isPlain ? this.#lists.get(repository.rid) : undefined;
    const isSame = known !== undefined && isSameRefs(known.refs, refs) &&
      (known.objectsVersion === undefined || known.objectsVersion === await repository.objectsVersion?.());
    if (isSame && await hasSameHeads(known.heads, world)) {
      // Compared in one step the next time.
      known.refs = refs;
      return known.states;
    }
    const objectsVersion = await repository.objectsVersion?.();
    const room = new ListRoom();
    const all = await this.#evaluateAll(world, refs, room);
    const unlogged = world.leftOut.objects - MAX_LOGGED_OBJECTS;
    if (unlogged > 0) {
      this.#log("warn", `Left out ${unlogged} more ${this.#type.name} objects of ${repository.rid}`);
    }
    const objects = all.filter((object) => object !== undefined);
    const states = objects.map(({ state }) => state);
    // What failed or was incomplete may be found better when there are more objects.
    const isSettled = all.every((object) => object?.isComplete === true);
    if (isPlain && (isSettled || objectsVersion !== undefined)) {
      const heads = new Map(objects.flatMap((object) => [...object.heads]));
      this.#lists.set(repository.rid, {
        refs,
        heads,
        states,
        bytes: room.bytes,
        objectsVersion: isSettled ? undefined : objectsVersion,
      });
    }
    return states;
  }

  async #evaluateAll(
    world: World,
    refs: readonly ResolvedRef[],
    room: ListRoom,
  ): Promise<(Listed<S> | undefined)[]> {
    const { rid } = world.repository;
    const objects = new Map<Oid, Oid[]>();
    for (const ref of refs) {
      const { name } = ref;
      const id = name.slice(name.lastIndexOf("/") + 1);
      if (!isOid(id) || !name.endsWith(`/refs/cobs/${this.#type.name}/${id}`)) continue;
      const targets = objects.get(id);
      if (targets === undefined) objects.set(id, [...this.#targets(rid, ref)]);
      else targets.push(...this.#targets(rid, ref));
    }
    const ids = [...objects.keys()].sort();
    const listed = new Array<Listed<S> | undefined>(ids.length);
    const waiting = ids.entries();
    const work = async () => {
      for (const [i, id] of waiting) {
        const targets = ascending(objects.get(id)!);
        listed[i] = await this.#list(world, id, targets, room);
        await world.turns.next();
      }
    };
    await Promise.all(Array.from({ length: EVALUATED_AT_ONCE }, work));
    return listed;
  }

  /** One object as it is in a list with so much room. */
  async #list(
    world: World,
    id: Oid,
    targets: readonly Oid[],
    room: ListRoom,
  ): Promise<Listed<S> | undefined> {
    const key = this.#key(world.repository.rid, id);
    const outline = this.#remembered.get(key) === undefined ? this.#outlines.get(key) : undefined;
    if (
      outline !== undefined && isSame(outline.targets, targets) && await hasSameHeads(outline.heads, world)
    ) {
      room.addOutline(outline.size);
      return outline;
    }
    const { evaluation } = await this.#evaluation(world, id, targets, false);
    if (evaluation === undefined) return undefined;
    const { state, texts, size, heads, isComplete } = evaluation;
    if (texts.bytes <= LONG_OBJECT_BYTES && room.take(texts.bytes)) return { state, heads, isComplete };
    const listed = { state: this.#type.outline(state), heads, isComplete, targets, size };
    if (isComplete) this.#outlines.set(key, listed);
    if (room.take(texts.bytes)) return { state, heads, isComplete };
    room.addOutline(size);
    return listed;
  }

  /**
   * One object; `undefined` when there is none of that id, or none that can be evaluated.
   *
   * @param own An entry that a reference of the object led to when the caller looked: the evaluation knows it, too.
   */
  async get(
    repository: Repository,
    index: CommitIndex,
    id: Oid,
    own?: Oid,
  ): Promise<Evaluation<S> | undefined> {
    const refs = await resolveRefs(repository, `refs/namespaces/*/refs/cobs/${this.#type.name}/${id}`);
    const found = refs.flatMap((ref) => this.#targets(repository.rid, ref));
    const targets = ascending(own === undefined || found.includes(own) ? found : [...found, own]);
    if (targets.length === 0) return undefined;
    return (await this.#evaluation(new World(repository, index, this.#docs), id, targets, true)).evaluation;
  }

  /**
   * An entry that can be reached from `own`, a reference's target, but not from `tips`, as {@link findLostEntry}.
   * Takes as long as an evaluation.
   */
  async findLost(repository: Repository, own: Oid, tips: readonly Oid[]): Promise<Oid | undefined> {
    return await findLostEntry(this.#reader, repository, own, tips);
  }

  /** The entries that `tips` lead to, as far as they can be read. Takes as long as an evaluation. */
  async graph(repository: Repository, tips: readonly Oid[]): Promise<Graph<A>> {
    const turns = new Turns();
    const read = (oids: readonly Oid[]) => this.#reader.read(repository, oids, turns, true);
    return await loadGraph(read, tips, turns, { actionBytes: 0 });
  }

  #key(rid: RepoId, object: Oid): string {
    return `${this.#number} ${rid} ${object}`;
  }

  #targets(rid: RepoId, { name, oid }: ResolvedRef): readonly Oid[] {
    const held = this.held(rid, name);
    return held === undefined || held === oid ? [oid] : [oid, held];
  }

  /** With `isRetry`, what failed or was incomplete is tried again if there may be more objects since. */
  async #evaluation(
    world: World,
    id: Oid,
    targets: readonly Oid[],
    isRetry: boolean,
  ): Promise<Remembered<S>> {
    const key = this.#key(world.repository.rid, id);
    const known = this.#remembered.get(key);
    if (known !== undefined && hasSameEntries(known, targets)) {
      const isUsable = !isRetry || known.evaluation?.isComplete === true ||
        known.objectsVersion !== undefined &&
          known.objectsVersion === await world.repository.objectsVersion?.();
      if (isUsable && await hasSameHeads(known.evaluation?.heads, world)) return known;
    }
    const runningKey = `${key} ${targets.join(" ")}`;
    const running = this.#running.get(runningKey);
    if (running !== undefined) return await running;
    const promise = this.#evaluate(world.fork(), id, targets, known);
    this.#running.set(runningKey, promise);
    try {
      const remembered = await promise;
      this.#remembered.set(key, remembered);
      this.#lists.delete(world.repository.rid);
      return remembered;
    } finally {
      this.#running.delete(runningKey);
    }
  }

  async #evaluate(
    world: World,
    id: Oid,
    targets: readonly Oid[],
    known: Remembered<S> | undefined,
  ): Promise<Remembered<S>> {
    const objectsVersion = await world.repository.objectsVersion?.();
    let leave: (() => void) | undefined;
    const enter = async () => {
      leave ??= await this.#large.enter();
    };
    try {
      return {
        targets,
        objectsVersion,
        evaluation: await this.#extend(world, targets, known, enter) ??
          await this.#evaluateAnew(world, id, targets, enter),
      };
    } catch (error) {
      if (!(error instanceof DamagedError || error instanceof Refusal)) throw error;
      const { name } = this.#type;
      const isNews = known === undefined || known.evaluation !== undefined || !isSame(known.targets, targets);
      if (isNews && ++world.leftOut.objects <= MAX_LOGGED_OBJECTS) {
        this.#log("warn", `Left out ${name} ${id} of ${world.repository.rid}: ${error.message}`, error);
      }
      return { targets, evaluation: undefined, objectsVersion };
    } finally {
      leave?.();
    }
  }

  /** A reference may lead to a tag of an entry: looked for only where something is no entry, since that takes a look at every reference. */
  async #evaluateAnew(
    world: World,
    id: Oid,
    targets: readonly Oid[],
    enter: () => Promise<void>,
  ): Promise<Evaluation<S>> {
    const attempt = (from: readonly Oid[]) =>
      evaluate(this.#type, this.rules, this.#reader, world.fork(), id, from, enter);
    try {
      return await attempt(targets);
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      const followed = await followTags(world.repository, targets);
      if (isSame(followed, targets)) throw error;
      return await attempt(ascending(followed));
    }
  }

  async #extend(
    world: World,
    targets: readonly Oid[],
    known: Remembered<S> | undefined,
    enter: () => Promise<void>,
  ): Promise<Evaluation<S> | undefined> {
    const [target, ...others] = targets.filter((oid) => !known?.targets.includes(oid));
    if (known?.evaluation === undefined || target === undefined || others.length > 0) return undefined;
    if (!await hasSameHeads(known.evaluation.heads, world)) return undefined;
    const { evaluation } = known;
    const extended = await extend(this.#type, this.rules, this.#reader, world, evaluation, target, enter);
    if (extended === undefined) return undefined;
    // References that have moved on are forgotten, however often an object is extended.
    const now = new Set(targets);
    return { ...extended, kept: extended.kept.filter((oid) => now.has(oid)) };
  }
}

/** The room that a list has for texts. */
class ListRoom {
  #textBytes = 0;
  #longBytes = 0;
  #outlineBytes = 0;

  /** What is taken, outlines included. */
  get bytes(): number {
    return this.#textBytes + this.#outlineBytes;
  }

  /** Counts an outline of so many entries. */
  addOutline(size: number): void {
    this.#outlineBytes += OUTLINE_WEIGHT * size;
  }

  /** Whether there is room for the texts of one more object; then it is taken. */
  take(bytes: number): boolean {
    const longBytes = this.#longBytes + (bytes > LONG_OBJECT_BYTES ? bytes : 0);
    if (this.#textBytes + bytes > LIST_TEXT_BYTES || longBytes > LONG_OBJECTS_BYTES) return false;
    this.#textBytes += bytes;
    this.#longBytes = longBytes;
    return true;
  }
}

/** Issues and patches of all repositories. */
export interface Cobs {
  readonly issues: ObjectStore<IssueAction, Op<IssueAction>, Issue>;
  readonly patches: ObjectStore<PatchAction, PatchOp, Patch>;
}

/** Stores that know nothing yet. */
export function createCobs(generation: Generation, log: Environment["log"]): Cobs {
  const docs = createDocsByCommit();
  return {
    issues: new ObjectStore(issueType, RULES[generation], docs, log),
    patches: new ObjectStore(patchType, RULES[generation], docs, log),
  };
}

/** Whether the branches that evaluations depend on are where they were. */
async function hasSameHeads(heads: Evaluation<unknown>["heads"] | undefined, world: World): Promise<boolean> {
  for (const [name, head] of heads ?? []) if (await world.head(name) !== head) return false;
  return true;
}

function isSameRefs(a: readonly ResolvedRef[], b: readonly ResolvedRef[]): boolean {
  return a === b ||
    a.length === b.length && a.every(({ name, oid }, i) => name === b[i]!.name && oid === b[i]!.oid);
}

/** Whether references lead to the entries that they led to: to the same ones, or no more to some that others stand on top of. */
function hasSameEntries({ targets, evaluation }: Remembered<unknown>, now: readonly Oid[]): boolean {
  return isSame(targets, now) ||
    evaluation !== undefined && evaluation.isWhole && now.length < targets.length &&
      now.every((oid) => targets.includes(oid)) && evaluation.tips.every((oid) => now.includes(oid));
}

function ascending(targets: readonly Oid[]): readonly Oid[] {
  return targets.length === 1 ? targets : [...new Set(targets)].sort();
}

function isSame(a: readonly Oid[], b: readonly Oid[]): boolean {
  return a.length === b.length && a.every((oid, i) => oid === b[i]);
}

/** Evaluates single objects: takes the result from the cache or from derived data, or evaluates anew. */
import { SingleFlight } from "../../async/single_flight.ts";
import { isUnreadable } from "../../errors.ts";
import { followTags } from "../../git/tags.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import { type Op, Refusal } from "../op.ts";
import type { SavedObjects } from "./saved/saved_objects.ts";
import { EntrySteps, type Evaluation, type Preview } from "./evaluation.ts";
import { type CachedEvaluation, holdsFor, keyOf, type StoreParts } from "./store_parts.ts";
import type { ObjectSummary } from "./object_summary.ts";
import type { EvaluationContext } from "./evaluation_context.ts";
import { isSameList } from "../entry/fields.ts";
import { ascending } from "./targets.ts";
import { hasRoom, NO_TEXTS } from "./text_budget.ts";

/** Objects of one list that get a line in the log when they cannot be evaluated. */
export const MAX_LOGGED_OBJECTS = 10;

/** An entry that was stored, and its effect on its object. */
export interface Extension<S> {
  readonly object: Oid;
  /** The former target of the reference that leads to the entry now. */
  readonly from: Oid | undefined;
  /** The entry. */
  readonly to: Oid;
  /** The evaluation that the entry was written on top of; none for the first entry of an object. */
  readonly earlier?: Evaluation<S>;
  readonly next: Preview<S>;
}

/** Evaluates objects of one type under one set of rules. */
export class Evaluator<A, O extends Op<A>, S extends ObjectSummary> {
  readonly #parts: StoreParts<A, O, S>;
  readonly #saved: SavedObjects<A, O, S>;
  readonly #running = new SingleFlight<CachedEvaluation<S>>();

  constructor(parts: StoreParts<A, O, S>, saved: SavedObjects<A, O, S>) {
    this.#parts = parts;
    this.#saved = saved;
  }

  /** The cached result of an object, which may be out of date. */
  cached(rid: RepoId, object: Oid): CachedEvaluation<S> | undefined {
    return this.#parts.caches.evaluations.get(keyOf(this.#parts, rid, object));
  }

  /**
   * Evaluates an object. Concurrent calls with the same targets share one evaluation.
   *
   * @param targets Targets of the object's references, ascending.
   * @param isRetry Whether to repeat a failed or incomplete evaluation if the repository may have more
   * objects since.
   */
  async evaluate(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    isRetry: boolean,
  ): Promise<CachedEvaluation<S>> {
    const { rid } = context.repository;
    const key = keyOf(this.#parts, rid, id);
    const { evaluations } = this.#parts.caches;
    const cached = evaluations.get(key);
    if (cached !== undefined && holdsFor(cached, targets)) {
      const isUsable = !isRetry || cached.evaluation?.isComplete === true ||
        cached.objectsVersion !== undefined &&
          cached.objectsVersion === await context.repository.objectsVersion?.();
      if (isUsable && await context.hasHeads(cached.evaluation?.heads)) return cached;
    }
    return await this.#running.join(`${key} ${targets.join(" ")}`, async () => {
      const result = await this.#run(context.fork(), id, targets, cached);
      evaluations.set(key, result);
      return result;
    });
  }

  /**
   * Caches the effect of an entry that was just stored, so that it need not be read back. Incomplete
   * evaluations, and objects whose texts exceed their budget, are not cached.
   */
  record(rid: RepoId, { object, from, to, earlier, next: { state, heads, bytes } }: Extension<S>): void {
    const cached = this.cached(rid, object);
    if (earlier === undefined ? cached !== undefined : cached?.evaluation !== earlier) return;
    const before = earlier ??
      { reachable: [], size: 0, texts: NO_TEXTS, isWhole: true, isComplete: true, heads: new Map() };
    if (!before.isWhole || !before.isComplete) return;
    const { texts } = before;
    if (texts.limitBytes !== Infinity || !hasRoom(texts, bytes)) return;
    this.#parts.caches.evaluations.set(keyOf(this.#parts, rid, object), {
      targets: ascending([...cached?.targets.filter((oid) => oid !== from) ?? [], to]),
      evaluation: {
        ...before,
        state,
        tips: [to],
        reachable: [...before.reachable.filter((oid) => oid !== from), to],
        size: before.size + 1,
        texts: { ...texts, bytes: texts.bytes + bytes },
        heads: new Map([...before.heads, ...heads]),
      },
    });
  }

  async #run(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    cached: CachedEvaluation<S> | undefined,
  ): Promise<CachedEvaluation<S>> {
    const { type, caches, log } = this.#parts;
    const objectsVersion = await context.repository.objectsVersion?.();
    let leave: (() => void) | undefined;
    const enter = async () => {
      leave ??= await caches.large.enter();
    };
    try {
      const saved = await this.#saved.evaluation(context, id, targets);
      if (saved !== undefined) return { ...saved, objectsVersion };
      return {
        targets,
        objectsVersion,
        evaluation: await this.#evaluateAnew(context, id, targets, enter),
      };
    } catch (error) {
      if (!(isUnreadable(error) || error instanceof Refusal)) throw error;
      const isNews = cached === undefined || cached.evaluation !== undefined ||
        !isSameList(cached.targets, targets);
      if (isNews && ++context.leftOut.objects <= MAX_LOGGED_OBJECTS) {
        const { rid } = context.repository;
        log("warn", `Left out ${type.name} ${id} of ${rid}: ${error.message}`, error);
      }
      return { targets, evaluation: undefined, objectsVersion };
    } finally {
      leave?.();
    }
  }

  /**
   * Evaluates anew. Follows tags of entries only after a failure, since finding tags reads the target of
   * every reference.
   */
  async #evaluateAnew(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    enter: () => Promise<void>,
  ): Promise<Evaluation<S>> {
    const attempt = (from: readonly Oid[]) =>
      new EntrySteps(this.#parts, context.fork()).evaluate(id, from, enter);
    try {
      return await attempt(targets);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const followed = await followTags(context.repository, targets);
      if (isSameList(followed, targets)) throw error;
      return await attempt(ascending(followed));
    }
  }
}

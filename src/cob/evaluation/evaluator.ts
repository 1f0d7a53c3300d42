/** Evaluates single objects (issues or patches), or returns a cached or saved result that is still valid. */
import { SingleFlight } from "../../async/single_flight.ts";
import { isUnreadable } from "../../errors.ts";
import { followTags } from "../../git/tags.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import { Refusal } from "../op.ts";
import type { SavedObjects } from "./saved/saved_objects.ts";
import { EntrySteps, type Evaluation, type Preview } from "./evaluation.ts";
import type { ObjectState } from "./object_types.ts";
import { type CachedEvaluation, holdsFor, keyOf, type StoreOptions } from "./store_options.ts";
import type { EvaluationContext } from "./evaluation_context.ts";
import { isSameList } from "../entry/fields.ts";
import { ascending } from "./targets.ts";
import { isWithin, NO_TEXTS, OBJECT_TEXTS, type TextLimits } from "./text_budget.ts";

/** Maximum number of log lines about objects of one list that cannot be evaluated. */
export const MAX_LOGGED_OBJECTS = 10;

/** An entry (a signed change) that was just stored, and its effect on its object. */
export interface AppendedEntry<S> {
  readonly object: Oid;
  /** Former target of the reference that now points to the entry; `undefined` for a new reference. */
  readonly from: Oid | undefined;
  readonly to: Oid;
  /** The evaluation to which the entry was added; absent for the first entry of an object. */
  readonly earlier?: Evaluation<S>;
  readonly next: Preview<S>;
}

/** Evaluates objects of one type by the rules of one generation of Radicle programs. */
export class Evaluator<S extends ObjectState> {
  readonly #options: StoreOptions<S>;
  readonly #saved: SavedObjects<S>;
  readonly #running = new SingleFlight<CachedEvaluation<S>>();

  constructor(options: StoreOptions<S>, saved: SavedObjects<S>) {
    this.#options = options;
    this.#saved = saved;
  }

  /**
   * Returns the cached evaluation of an object, which may be out of date, or `undefined` if none is cached.
   */
  cached(rid: RepoId, object: Oid): CachedEvaluation<S> | undefined {
    return this.#options.caches.evaluations.get(keyOf(this.#options, rid, object));
  }

  /**
   * Evaluates an object. Concurrent calls with the same targets share one evaluation.
   *
   * @param targets Targets of the object's references, in ascending order.
   * @param isRetry Whether to repeat a failed or incomplete evaluation if the objects of the repository have
   *   changed.
   * @param textLimits Limits for the texts in the state.
   */
  async evaluate(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    isRetry: boolean,
    textLimits: TextLimits = OBJECT_TEXTS,
  ): Promise<CachedEvaluation<S>> {
    const { rid } = context.repository;
    const key = keyOf(this.#options, rid, id);
    const cutKey = textLimits === OBJECT_TEXTS ? key : `${key} ${textLimits.bytes}`;
    const { evaluations } = this.#options.caches;
    const whole = evaluations.get(key);
    const isEnough = whole !== undefined && holdsFor(whole, targets) && isSameWithin(textLimits, whole);
    const cached = isEnough ? whole : evaluations.get(cutKey);
    if (cached !== undefined && holdsFor(cached, targets)) {
      const isUsable = !isRetry || cached.evaluation?.isComplete === true ||
        cached.objectsVersion !== undefined &&
          cached.objectsVersion === await context.repository.objectsVersion?.();
      if (isUsable && await context.hasHeads(cached.evaluation?.heads)) return cached;
    }
    return await this.#running.join(`${cutKey} ${targets.join(" ")}`, async () => {
      const result = await this.#run(context.fork(), id, targets, cached, textLimits);
      evaluations.set(isSameWithin(textLimits, result) ? key : cutKey, result);
      return result;
    });
  }

  /**
   * Caches the state of an object after a new entry, so that the entry need not be read from the repository.
   * If the earlier evaluation is incomplete, or the texts exceed {@link OBJECT_TEXTS}, nothing is cached.
   */
  record(rid: RepoId, { object, from, to, earlier, next: { state, heads, bytes } }: AppendedEntry<S>): void {
    const cached = this.cached(rid, object);
    if (earlier === undefined ? cached !== undefined : cached?.evaluation !== earlier) return;
    const before = earlier ??
      { reachable: [], size: 0, texts: NO_TEXTS, isWhole: true, isComplete: true, heads: new Map() };
    if (!before.isWhole || !before.isComplete) return;
    const texts = { bytes: before.texts.bytes + bytes, wholeBytes: before.texts.wholeBytes + bytes };
    if (!isWithin(texts, OBJECT_TEXTS)) return;
    this.#options.caches.evaluations.set(keyOf(this.#options, rid, object), {
      targets: ascending([...cached?.targets.filter((oid) => oid !== from) ?? [], to]),
      evaluation: {
        ...before,
        state,
        tips: [to],
        reachable: [...before.reachable.filter((oid) => oid !== from), to],
        size: before.size + 1,
        texts,
        heads: new Map([...before.heads, ...heads]),
      },
    });
  }

  async #run(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    cached: CachedEvaluation<S> | undefined,
    textLimits: TextLimits,
  ): Promise<CachedEvaluation<S>> {
    const { type, caches, log } = this.#options;
    const objectsVersion = await context.repository.objectsVersion?.();
    let leave: (() => void) | undefined;
    const enter = async () => {
      leave ??= await caches.large.enter();
    };
    try {
      const saved = await this.#saved.evaluation(context, id, targets, textLimits);
      if (saved !== undefined) return { ...saved, objectsVersion };
      return {
        targets,
        objectsVersion,
        evaluation: await this.#evaluateAnew(context, id, targets, textLimits, enter),
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
   * Evaluates an object without cached or saved results. Tags are followed only after a failure, because
   * finding tags requires reading the target of every reference.
   */
  async #evaluateAnew(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    textLimits: TextLimits,
    enter: () => Promise<void>,
  ): Promise<Evaluation<S>> {
    const attempt = (from: readonly Oid[]) =>
      new EntrySteps(this.#options, context.fork()).evaluate(id, from, textLimits, enter);
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

/**
 * Checks whether an evaluation with the limits `textLimits` would have the same result, because the
 * evaluation failed or all texts are within the limits.
 */
function isSameWithin(textLimits: TextLimits, { evaluation }: CachedEvaluation<unknown>): boolean {
  return evaluation === undefined || isWithin(evaluation.texts, textLimits);
}

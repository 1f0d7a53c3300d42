/** Reads saved evaluations of issues or patches from the derived data of a repository. */
import { SingleFlight } from "../../../async/single_flight.ts";
import type { Task } from "../../../scheduling/task.ts";
import { decompressed } from "../../../bytes/compressed.ts";
import { DamagedError } from "../../../errors.ts";
import { readFile } from "../../../derived/derived_files.ts";
import type { Oid } from "../../../ids/oid.ts";
import type { DerivedData } from "../../../ports/derived_data.ts";
import type { Repository } from "../../../ports/storage.ts";
import type { ObjectState } from "../object_types.ts";
import type { CachedEvaluation, SavedFile, StoreCaches, StoreOptions } from "../store_options.ts";
import type { TextLimits } from "../text_budget.ts";
import type { EvaluationContext } from "../evaluation_context.ts";
import { isSameList } from "../../entry/fields.ts";
import { type DecodeEvaluation, evaluationDecoder, lineStart } from "./saved_evaluation.ts";
import {
  decodeList,
  isSavedObject,
  listName,
  type ListSubject,
  MAX_BLOCK_BYTES,
  MAX_LIST_BYTES,
  type SavedList,
  type SavedRow,
} from "./saved_list.ts";

type SavedContext = Pick<EvaluationContext, "repository" | "task" | "hasHeads">;

/**
 * Reads the evaluations of one type of object that were saved by the rules of one generation of Radicle
 * programs.
 */
export class SavedObjects<S extends ObjectState> {
  readonly #caches: StoreCaches<S>;
  readonly #decode: DecodeEvaluation<S>;
  readonly #subject: Omit<ListSubject, "rid">;
  readonly #running = new SingleFlight<SavedFile>();

  constructor({ type, rules: { generation }, caches }: StoreOptions<S>) {
    this.#caches = caches;
    this.#decode = evaluationDecoder(type.form);
    this.#subject = { type: type.name, generation, statuses: type.statuses };
  }

  /** Returns the list of a repository's saved objects, or `undefined` if no readable list is saved. */
  async list(
    repository: Pick<Repository, "rid" | "derived">,
    task: Task,
  ): Promise<SavedList | undefined> {
    const { derived } = repository;
    if (derived === undefined) return undefined;
    try {
      const digest = await derived.named(listName(this.#subject));
      if (digest === undefined) return undefined;
      const file = await this.#read(repository, digest, async () => {
        const bytes = await requireFile(derived, digest, MAX_LIST_BYTES);
        const list = await decodeList({ rid: repository.rid, ...this.#subject }, bytes, task);
        return list && { list };
      });
      return file !== undefined && "list" in file ? file.list : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the row of an object, or `undefined` if the row is missing, has other targets, or depends on
   * branches that have changed.
   */
  async row(
    context: SavedContext,
    list: SavedList | undefined,
    id: Oid,
    targets: readonly Oid[],
  ): Promise<SavedRow | undefined> {
    const row = list?.rows.get(id);
    if (row === undefined || !isSameList(row.targets, targets)) return undefined;
    return !isSavedObject(row) || await context.hasHeads(row.heads) ? row : undefined;
  }

  /** Returns the saved evaluation of an object, or `undefined` when the object must be evaluated. */
  async evaluation(
    context: SavedContext,
    id: Oid,
    targets: readonly Oid[],
    textLimits: TextLimits,
  ): Promise<CachedEvaluation<S> | undefined> {
    const { repository, task } = context;
    const list = await this.list(repository, task);
    const row = await this.row(context, list, id, targets);
    if (row === undefined) return undefined;
    if (!isSavedObject(row)) return { targets, evaluation: undefined };
    if (row.textBytes > textLimits.bytes) return undefined;
    const { derived } = repository;
    const block = list?.blocks[row.block]?.digest;
    if (derived === undefined || block === undefined) return undefined;
    try {
      const file = await this.#read(repository, block, () => readBlock(derived, block));
      const line = file !== undefined && "text" in file ? findLine(file.text, id) : undefined;
      const saved = line === undefined ? undefined : this.#decode(line);
      if (saved?.id !== id || !isSameList(saved.targets, targets)) return undefined;
      const { evaluation } = saved;
      return await context.hasHeads(evaluation.heads) ? { targets, evaluation } : undefined;
    } catch {
      return undefined;
    }
  }

  async #read(
    { rid }: Pick<Repository, "rid">,
    digest: string,
    read: () => Promise<SavedFile>,
  ): Promise<SavedFile> {
    const { files } = this.#caches;
    const key = `${rid} ${digest}`;
    const cached = files.get(key);
    if (cached !== undefined) return cached.file;
    return await this.#running.join(key, async () => {
      const file = await read();
      files.set(key, { file });
      return file;
    });
  }
}

async function readBlock(
  derived: DerivedData,
  digest: string,
): Promise<{ readonly text: string } | undefined> {
  const bytes = await decompressed(await requireFile(derived, digest, MAX_BLOCK_BYTES), MAX_BLOCK_BYTES);
  return bytes && { text: new TextDecoder().decode(bytes) };
}

/**
 * Reads a file. Throws if the file is missing, so that {@link SavedObjects} does not cache that the file is
 * missing.
 */
async function requireFile(derived: DerivedData, digest: string, limitBytes: number): Promise<Uint8Array> {
  const bytes = await readFile(derived, digest, limitBytes);
  if (bytes === undefined) throw new DamagedError(`The file of derived data ${digest} is missing`);
  return bytes;
}

/**
 * Returns the line of an object in a block, or `undefined` if the block has no such line. JSON escapes line
 * feeds, so that a text in the block cannot be mistaken for the start of a line.
 */
function findLine(text: string, id: Oid): string | undefined {
  const start = lineStart(id);
  const at = text.startsWith(start) ? 0 : text.indexOf(`\n${start}`) + 1;
  if (at === 0 && !text.startsWith(start)) return undefined;
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? text.length : end);
}

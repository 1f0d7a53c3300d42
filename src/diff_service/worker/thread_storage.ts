/**
 * A storage for workers that cannot open a storage themselves. The worker sends reads to the thread that has
 * started the worker. That thread reads from its storage, and sends copies of the bytes. This file contains
 * the code of both threads.
 */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type {
  BatchLimits,
  GitObject,
  ObjectHeader,
  ReadLimits,
  Repository,
  Storage,
} from "../../ports/storage.ts";
import { type ErrorText, fromErrorText, toErrorText } from "./protocol.ts";

export type ObjectRead =
  | { readonly kind: "header"; readonly oid: Oid }
  | { readonly kind: "object"; readonly oid: Oid; readonly limits: ReadLimits | undefined }
  | { readonly kind: "objects"; readonly oids: readonly Oid[]; readonly limits: BatchLimits | undefined };

/** A message from a worker that requests reads in one repository. */
export interface ReadsMessage {
  readonly kind: "reads";
  /** Identifies the message. The reply repeats this number. */
  readonly number: number;
  readonly rid: RepoId;
  readonly reads: readonly ObjectRead[];
}

type ReadValue = ObjectHeader | GitObject | readonly (GitObject | undefined)[] | undefined;

export type ReadOutcome = { readonly value: ReadValue } | { readonly error: ErrorText };

/** The reply to a worker, with the results in the order of the reads. */
export interface ReadsAnswer {
  readonly kind: "reads";
  readonly number: number;
  readonly outcomes: readonly ReadOutcome[];
}

export function isAboutReads<T extends ReadsMessage | ReadsAnswer>(message: unknown): message is T {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "reads";
}

/**
 * Reads objects for a worker. Never rejects.
 *
 * @returns The reply, and the buffers in the reply, which the caller may move to the worker.
 */
export async function answerReads(
  storage: Pick<Storage, "repository">,
  { number, rid, reads }: ReadsMessage,
): Promise<{ readonly answer: ReadsAnswer; readonly transfer: ArrayBuffer[] }> {
  const transfer: ArrayBuffer[] = [];
  const outcomes = await Promise.all(reads.map(async (read): Promise<ReadOutcome> => {
    try {
      const repository = await storage.repository(rid);
      if (repository === undefined) throw new DamagedError(`Repository ${rid} is gone`);
      return { value: await readIn(repository, read, transfer) };
    } catch (error) {
      return { error: toErrorText(error) };
    }
  }));
  return { answer: { kind: "reads", number, outcomes }, transfer };
}

async function readIn(repository: Repository, read: ObjectRead, transfer: ArrayBuffer[]): Promise<ReadValue> {
  switch (read.kind) {
    case "header":
      return await repository.header(read.oid);
    case "object":
      return copied(await repository.object(read.oid, read.limits), transfer);
    case "objects": {
      const objects = await repository.objects(read.oids, read.limits);
      return objects.map((object) => copied(object, transfer));
    }
  }
}

/** Copies an object, because its bytes may be part of a larger buffer in a cache. */
function copied(object: GitObject | undefined, transfer: ArrayBuffer[]): GitObject | undefined {
  if (object === undefined) return undefined;
  const bytes = object.bytes.slice();
  object.release?.();
  transfer.push(bytes.buffer);
  return { kind: object.kind, bytes };
}

interface Waiting {
  readonly read: ObjectRead;
  readonly resolve: (value: ReadValue) => void;
  readonly reject: (error: Error) => void;
}

/** The storage inside the worker. */
export class ThreadStorage implements Storage {
  readonly #post: (message: ReadsMessage) => void;
  readonly #asked = new Map<number, readonly Waiting[]>();
  #number = 0;

  constructor(post: (message: ReadsMessage) => void) {
    this.#post = post;
  }

  /** Returns no ids, because jobs contain the ids of their repositories. */
  repositoryIds(): readonly RepoId[] {
    return [];
  }

  /** Never returns `undefined`. If there is no such repository, the first read fails. */
  repository(rid: RepoId): Repository {
    return new ThreadRepository(rid, (waiting) => this.#ask(rid, waiting));
  }

  /** Resolves the reads whose results have arrived. */
  take({ number, outcomes }: ReadsAnswer): void {
    const asked = this.#asked.get(number) ?? [];
    this.#asked.delete(number);
    asked.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i] ?? { value: undefined };
      if ("error" in outcome) reject(fromErrorText(outcome.error));
      else resolve(outcome.value);
    });
  }

  #ask(rid: RepoId, waiting: readonly Waiting[]): void {
    const number = this.#number++;
    this.#asked.set(number, waiting);
    this.#post({ kind: "reads", number, rid, reads: waiting.map(({ read }) => read) });
  }
}

/**
 * A repository whose objects the other thread reads. All reads in one turn of the event loop are sent
 * together.
 */
class ThreadRepository implements Repository {
  readonly rid: RepoId;
  readonly #ask: (waiting: readonly Waiting[]) => void;
  #waiting: Waiting[] = [];

  constructor(rid: RepoId, ask: (waiting: readonly Waiting[]) => void) {
    this.rid = rid;
    this.#ask = ask;
  }

  ref(): never {
    throw new TypeError("A worker reads objects only");
  }

  refs(): never {
    throw new TypeError("A worker reads objects only");
  }

  header(oid: Oid): Promise<ObjectHeader | undefined> {
    return this.#read({ kind: "header", oid }) as Promise<ObjectHeader | undefined>;
  }

  object(oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> {
    return this.#read({ kind: "object", oid, limits }) as Promise<GitObject | undefined>;
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    return this.#read({ kind: "objects", oids, limits }) as Promise<readonly (GitObject | undefined)[]>;
  }

  #read(read: ObjectRead): Promise<ReadValue> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => this.#send());
      this.#waiting.push({ read, resolve, reject });
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#ask(waiting);
  }
}

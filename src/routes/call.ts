/** What a handler is given: the request, who sent it, what its path names, and the service's shared state. */
import type { WritePlace } from "../cob/write/drafted_entry.ts";
import { ApiError, DamagedError } from "../errors.ts";
import type { CommitIndex } from "../git/commit_index.ts";
import { refuseCommit } from "../git/objects.ts";
import type { Answer } from "../http/answer.ts";
import { decodePercent } from "../http/percent.ts";
import { isFromForeignPage, isLoopbackAddress, isPrivileged, peerOf } from "../http/privilege.ts";
import type { IdentityDoc, Project } from "../identity/doc.ts";
import { readHead } from "../identity/head.ts";
import { type NodeId, parseNid } from "../ids/nid.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Client } from "../ports/client.ts";
import { isWritable, type Repository } from "../ports/storage.ts";
import type { Asker } from "../ports/workers.ts";
import type { Service } from "./service.ts";
import type { Sender } from "../session/waiting_sign_ins.ts";
import { TimeSlices } from "../async/time_slices.ts";

/** Answers one kind of request. */
export type Handler = (call: Call) => Promise<Answer>;

/** A row of a route table: method, path pattern (`:name` is one segment, `*name` at the end the rest, with slashes), handler. */
export type Route = readonly [method: string, pattern: string, handler: Handler];

/** A repository that the client may read. */
export interface OpenRepository {
  readonly rid: RepoId;
  readonly objects: Repository;
  readonly index: CommitIndex;
  /** The identity document; absent when it cannot be read, which only the owner of the node gets to see. */
  readonly doc: IdentityDoc | undefined;
}

/** For answers that need no more than this, no memory is set aside. */
const ROOMLESS_BYTES = 1024 * 1024;
/** When somebody may ask again for whose answer there was no memory, in seconds. */
const ROOM_RETRY_SECONDS = 5;

/** A request on its way to an answer. */
export class Call implements Asker {
  readonly request: Request;
  readonly url: URL;
  readonly service: Service;
  /** The pattern of the route that was chosen. */
  readonly pattern: string;
  readonly #params: Readonly<Record<string, string>>;
  readonly #client: Client | undefined;
  #opened: { readonly rid: RepoId; readonly repository: Promise<OpenRepository | undefined> } | undefined;
  #isPrivileged: boolean | undefined;
  #showsPrivate = false;
  /** Whether a part of the answer could not be made this time: such an answer is not cached. */
  isPartial = false;

  constructor(
    service: Service,
    request: Request,
    url: URL,
    route: { readonly pattern: string; readonly params: Readonly<Record<string, string>> },
    client: Client | undefined,
  ) {
    this.service = service;
    this.request = request;
    this.url = url;
    this.pattern = route.pattern;
    this.#params = route.params;
    this.#client = client;
  }

  /** Whether a repository was opened that not everybody may read: then no cache may keep the answer. */
  get showsPrivate(): boolean {
    return this.#showsPrivate;
  }

  /** Whether the client is the owner of the node. */
  get isPrivileged(): boolean {
    return this.#isPrivileged ??= isPrivileged(this.request, this.#client, this.service.privilege);
  }

  /** The sender of the request, as far as it can be told apart from others. */
  get sender(): Sender {
    const { privilege } = this.service;
    const isForeignPage = isFromForeignPage(this.request, privilege);
    return {
      kind: this.isPrivileged ? "owner" : isForeignPage ? "foreignPage" : "other",
      peer: peerOf(this.request, this.#client, privilege),
      origin: this.request.headers.get("origin") ?? "",
    };
  }

  /** The same call, but by a client of whom nothing is known. */
  asStranger(): Call {
    const route = { pattern: this.pattern, params: this.#params };
    return new Call(this.service, this.request, this.url, route, undefined);
  }

  /**
   * The entries whose repositories the client may know of: all of them for the owner of the node; for everybody else those of public repositories in
   * storage.
   */
  async knownOf<T>(entries: readonly T[], ridOf: (entry: T) => RepoId): Promise<readonly T[]> {
    if (this.isPrivileged) {
      this.#showsPrivate = true;
      return entries;
    }
    const slices = new TimeSlices();
    const known: T[] = [];
    for (const entry of entries) {
      if (await this.tryRepository(ridOf(entry)) !== undefined) known.push(entry);
      await slices.next();
    }
    return known;
  }

  /** Aborted when the client has left. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  /** The peer that asks; `undefined` where peers cannot be told apart, such as on this machine, where a proxy may be. */
  get peer(): string | undefined {
    if (this.#client?.transport !== "tcp" || isLoopbackAddress(this.#client.address)) return undefined;
    return peerOf(this.request, this.#client, this.service.privilege) || undefined;
  }

  /** A path parameter, decoded. */
  param(name: string): string {
    return decodePercent(this.#params[name] ?? "", name);
  }

  /** A path parameter that is an object id. */
  oid(name: string): Oid {
    return parseOid(this.param(name));
  }

  /** A path parameter that is a node id. */
  nid(name: string): NodeId {
    return parseNid(this.param(name));
  }

  /** A path parameter that is a repository id. */
  rid(name: string): RepoId {
    return this.service.rid(this.param(name));
  }

  /**
   * Opens a repository for this client.
   *
   * @throws {ApiError} `notFound` when there is none, or none that this client may know of.
   */
  async repository(rid: RepoId): Promise<OpenRepository> {
    const repository = await this.tryRepository(rid);
    if (repository === undefined) throw new ApiError("notFound", `Repository ${rid} was not found`);
    return repository;
  }

  /**
   * Waits for the memory that a large answer needs, when the host bounds that.
   *
   * @param bytes What it needs, about.
   * @throws {ApiError} `unavailable` when there is none for some seconds.
   */
  async requireRoom(bytes: number): Promise<void> {
    const { answerRoom } = this.service;
    if (answerRoom === undefined || bytes <= ROOMLESS_BYTES) return;
    if (await answerRoom.reserve(this.request, bytes)) return;
    throw new ApiError("unavailable", "Too many large answers are on their way", {
      retryAfterSeconds: ROOM_RETRY_SECONDS,
    });
  }

  /** As {@link repository}, with `undefined` in place of the error. Asked for the same one again, a call does not look again. */
  tryRepository(rid: RepoId): Promise<OpenRepository | undefined> {
    if (this.#opened?.rid !== rid) this.#opened = { rid, repository: this.#openRepository(rid) };
    return this.#opened.repository;
  }

  /**
   * Opens a repository for a change, in the name of the local node.
   *
   * @param token Bearer token of a session.
   * @throws {ApiError} `unauthorized` when the session may not change anything, or the node's key cannot be used; then `notFound`, as
   * {@link repository}; `forbidden` when the storage is only read.
   */
  async place(token: string, rid: RepoId): Promise<WritePlace> {
    await this.service.sessions.requireChange(token);
    const signer = await this.service.signer();
    const { objects, index } = await this.repository(rid);
    if (!isWritable(objects)) throw new ApiError("forbidden", "This service changes no repositories");
    return { repository: objects, index, signer };
  }

  async #openRepository(rid: RepoId): Promise<OpenRepository | undefined> {
    const objects = await this.service.storage.repository(rid);
    if (objects === undefined) return undefined;
    const doc = await this.#readDoc(objects);
    if (doc?.visibility.type !== "public") {
      if (!this.isPrivileged) return undefined;
      this.#showsPrivate = true;
    }
    return { rid, objects, index: this.service.commitIndex(rid), doc };
  }

  async #readDoc(objects: Repository): Promise<IdentityDoc | undefined> {
    try {
      return await this.service.identity(objects);
    } catch (error) {
      if (error instanceof DamagedError) return undefined;
      throw error;
    }
  }
}

/**
 * The identity document of a repository.
 *
 * @throws {ApiError} `notFound` when it cannot be read.
 */
export function requireDoc({ rid, doc }: OpenRepository): IdentityDoc {
  if (doc === undefined) throw new ApiError("notFound", `Repository ${rid} has no readable identity`);
  return doc;
}

/**
 * The project payload of a repository.
 *
 * @throws {ApiError} `notFound` when it cannot be read.
 */
export function requireProject(repository: OpenRepository): Project {
  const { project } = requireDoc(repository);
  if (project === undefined) throw new ApiError("notFound", `Repository ${repository.rid} is no project`);
  return project;
}

/**
 * The head commit of a repository.
 *
 * @throws {ApiError} `notFound` when it has none.
 */
export async function requireHead(repository: OpenRepository): Promise<Oid> {
  const head = await readHead(repository.objects, repository.index, requireDoc(repository));
  if (head === undefined) throw new ApiError("notFound", `Repository ${repository.rid} has no head`);
  return head;
}

/**
 * A commit's row in the index, with its history loaded.
 *
 * @throws {ApiError} `notFound` when there is no such commit.
 * @throws {TooLargeError} when it is too large to be read.
 */
export async function requireCommit({ objects, index }: OpenRepository, oid: Oid): Promise<number> {
  const row = await index.load(objects, oid);
  return row ?? await refuseCommit(objects, oid);
}

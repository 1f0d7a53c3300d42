/**
 * The argument of every handler: a request with its client, its path parameters, and the repositories of its
 * response.
 */
import type { RepositoryToWrite } from "../cob/write/entry_draft.ts";
import type { CachedPart } from "../cache/byte_cache.ts";
import { ForbiddenError, NotFoundError, UnavailableError } from "../errors.ts";
import type { RouteDialect, RouteTraits } from "../contract/traits.ts";
import type { AnswerOf } from "../http/answer.ts";
import { jsonPieces, type PiecesOptions } from "../http/respond.ts";
import { decodePercent } from "../http/parameters.ts";
import { clientKey } from "../http/client_key.ts";
import { isFromForeignPage, isPrivileged } from "../http/privilege.ts";
import { SigrefsReader } from "../identity/sigrefs.ts";
import { type NodeId, parseNid } from "../ids/nid.ts";
import { type Commitish, parseCommitish } from "../ids/refname.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Client } from "../ports/client.ts";
import { isWritable, type Repository } from "../ports/storage.ts";
import type { RequestShare } from "../ports/request_event.ts";
import type { Requester } from "../ports/workers.ts";
import { CallRepositories } from "./call_repositories.ts";
import type { OpenRepository } from "./opened_repository.ts";
import type { Service } from "./service.ts";
import type { Sender } from "../session/memory_table.ts";
import { Task } from "../scheduling/task.ts";

/** Handles the requests of one route. `T` is the type in the body of a successful response. */
export type Handler<T = unknown> = (call: Call) => Promise<AnswerOf<T>>;

/**
 * A row of a route table: method, path pattern, handler, and traits (further properties of the route). In a
 * pattern, `:name` matches one segment of the path, and `*name` at the end matches the rest of the path,
 * including slashes.
 */
export type Route = readonly [method: string, pattern: string, handler: Handler, traits?: RouteTraits];

/** Maximum memory of a response without a reservation, in bytes. */
const UNRESERVED_BYTES = 1024 * 1024;
/** `Retry-After` when no memory for a response becomes free, in seconds. */
const ROOM_RETRY_SECONDS = 5;

export interface MatchedRoute {
  readonly pattern: string;
  /** Path parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly traits: RouteTraits;
}

/** A request that is being handled. */
export class Call implements Requester {
  /**
   * Counts processor time in milliseconds against the limit of the client; `undefined` when the request has
   * no limit.
   */
  readonly spend: ((ms: number) => void) | undefined;
  /** The task of all computation for the response, until the last byte. */
  readonly task: Task;
  readonly request: Request;
  readonly url: URL;
  readonly service: Service;
  readonly pattern: string;
  readonly dialect: RouteDialect;
  readonly #route: MatchedRoute;
  readonly #client: Client | undefined;
  readonly #share: RequestShare | undefined;
  #isPrivileged: boolean | undefined;
  /** The repositories that the response shows. */
  readonly repositories: CallRepositories;
  /** Whether a part of the response is missing for a temporary reason. Such a response is not cached. */
  isPartial = false;
  /**
   * Whether the request names a commit by a reference. References may move, so caches must revalidate the
   * response.
   */
  hasMovingName = false;
  /** Parts of the response that are cached separately, such as diffs. */
  readonly parts: CachedPart[] = [];

  /** @param share Limit of each client that the request counts against. */
  constructor(
    service: Service,
    request: Request,
    url: URL,
    route: MatchedRoute,
    client: Client | undefined,
    share?: RequestShare,
  ) {
    this.service = service;
    this.request = request;
    this.url = url;
    this.pattern = route.pattern;
    this.dialect = route.traits.dialect ?? "v1";
    this.#route = route;
    this.#client = client;
    this.#share = share;
    this.spend = share === undefined || this.isPrivileged ? undefined : (ms) => share.charge?.(request, ms);
    this.task = new Task("user-visible", { onWork: this.spend });
    this.repositories = new CallRepositories(service, this.isPrivileged, this.task);
  }

  get isPrivileged(): boolean {
    return this.#isPrivileged ??= isPrivileged(this.request, this.#client, this.service.privilege);
  }

  /** Properties of the client that limit its sign-ins. */
  get sender(): Sender {
    const { privilege } = this.service;
    const isForeignPage = isFromForeignPage(this.request, privilege);
    return {
      kind: this.isPrivileged ? "owner" : isForeignPage ? "foreignPage" : "other",
      client: clientKey(this.address),
    };
  }

  /** Returns a new call for the same request. The new call checks permissions again. */
  again(): Call {
    return new Call(this.service, this.request, this.url, this.#route, this.#client, this.#share);
  }

  /** Returns a call for the same request with the permissions of a client other than the owner. */
  asStranger(): Call {
    if (!this.isPrivileged) return this;
    return new Call(this.service, this.request, this.url, this.#route, undefined, this.#share);
  }

  /** Aborted when the client closes the connection. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  /** Key of the client for limits and fair queues; `undefined` for the owner. */
  get peer(): string | undefined {
    return this.isPrivileged ? undefined : clientKey(this.address);
  }

  /** Address of the client for limits; `undefined` for clients that cannot be distinguished. */
  get address(): string | undefined {
    return this.service.addressOf(this.request, this.#client);
  }

  /**
   * Returns a decoded path parameter.
   *
   * @throws {HttpError} `badParameter` when it is not UTF-8.
   */
  param(name: string): string {
    return decodePercent(this.#route.params[name] ?? "", name);
  }

  hasParam(name: string): boolean {
    return this.#route.params[name] !== undefined;
  }

  oid(name: string): Oid {
    return parseOid(this.param(name));
  }

  /** Parses a path parameter as the name of a commit: an object id, or the name of a reference. */
  commitish(name: string): Commitish {
    return parseCommitish(this.param(name));
  }

  nid(name: string): NodeId {
    return parseNid(this.param(name));
  }

  rid(name: string): RepoId {
    return this.service.rid(this.param(name));
  }

  /**
   * Opens a repository for this client.
   *
   * @throws {NotFoundError} when the repository does not exist or the client may not see it.
   */
  async repository(rid: RepoId): Promise<OpenRepository> {
    const repository = await this.repositories.open(rid);
    if (repository !== undefined) return repository;
    throw new NotFoundError(this.dialect === "v1" ? `Repository ${rid} was not found` : "Not Found");
  }

  /**
   * Reserves memory for a large response, if the host limits that memory. Waits several seconds until enough
   * memory is free.
   *
   * @param bytes Approximate memory that the response needs.
   * @throws {UnavailableError} when no memory becomes free in time.
   */
  async requireRoom(bytes: number): Promise<void> {
    const { answerRoom } = this.service;
    if (answerRoom === undefined || bytes <= UNRESERVED_BYTES) return;
    if (await answerRoom.reserve(this.request, bytes)) return;
    throw new UnavailableError("Too many large answers are on their way", {
      retryAfterSeconds: ROOM_RETRY_SECONDS,
    });
  }

  /** Creates a JSON response from pieces of its JSON text, by {@link jsonPieces}. */
  answer<T>(pieces: Parameters<typeof jsonPieces>[0], options?: PiecesOptions): Promise<AnswerOf<T>> {
    return jsonPieces(pieces, this.service.environment.log, this.task, options);
  }

  sigrefsOf(repository: Repository): SigrefsReader {
    return new SigrefsReader(repository, this.service.sigrefs, this.task);
  }

  /**
   * Opens a repository for a write with the key of the node. The errors are checked in the order below.
   *
   * @param token Bearer token of a session.
   * @param open Opens the repository for the client.
   * @throws {UnauthorizedError} when the session may not write, or the node's key is unusable.
   * @throws {NotFoundError} when `open` throws it.
   * @throws {ForbiddenError} when the storage is read-only.
   */
  async openForWrite(token: string, open: () => Promise<OpenRepository>): Promise<RepositoryToWrite> {
    await this.service.sessions.requireChange(token);
    const signer = await this.service.signer();
    const opened = await open();
    const { objects } = opened;
    if (!isWritable(objects)) throw new ForbiddenError("This service changes no repositories");
    this.repositories.changed = opened;
    return { ...opened, objects, signer };
  }
}

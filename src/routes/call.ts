/**
 * Argument of every handler: the request, its client, its path parameters, and the state of the service; and
 * what the request names: repositories, and commits by id, branch, tag and other references (2.1).
 */
import type { WritePlace } from "../cob/write/entry_draft.ts";
import type { CachedPart } from "../cache/byte_cache.ts";
import { ForbiddenError, NotFoundError, UnavailableError } from "../errors.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";
import { type CommitReading, refuseCommit } from "../git/objects.ts";
import type { RouteDialect, RouteTraits } from "../contract/traits.ts";
import type { AnswerOf } from "../http/answer.ts";
import { jsonPieces, type PiecesOptions } from "../http/respond.ts";
import { decodePercent } from "../http/parameters.ts";
import { clientKey } from "../http/client_key.ts";
import { isFromForeignPage, isPrivileged } from "../http/privilege.ts";
import type { IdentityDoc, Project } from "../identity/doc.ts";
import { readHead } from "../identity/head.ts";
import { SigrefsReader } from "../identity/sigrefs.ts";
import { stateDigest } from "../../extensions/replicas/origin/consistency_token.ts";
import { type NodeId, parseNid } from "../ids/nid.ts";
import { type Commitish, parseCommitish } from "../ids/refname.ts";
import { isOid, type Oid, parseOid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Client } from "../ports/client.ts";
import { isWritable, type Repository } from "../ports/storage.ts";
import type { RequestShare } from "../ports/request_event.ts";
import type { Requester } from "../ports/workers.ts";
import type { Service } from "./service.ts";
import { ShownRepositories } from "./shown_repositories.ts";
import type { Sender } from "../session/memory_table.ts";
import { Task } from "../scheduling/task.ts";
import { findNamedObject, isHiddenRef } from "../git/references.ts";
import { followTags } from "../git/tags.ts";

/** Answers the requests of one route, if it succeeds with a `T`. */
export type Handler<T = unknown> = (call: Call) => Promise<AnswerOf<T>>;

/**
 * A row of a route table: method, path pattern, handler, traits. In a pattern `:name` matches one segment,
 * and `*name` at the end matches the rest of the path with its slashes.
 */
export type Route = readonly [method: string, pattern: string, handler: Handler, traits?: RouteTraits];

/** A repository that the client may read. */
export interface OpenRepository extends OpenedRepository {
  readonly rid: RepoId;
  /** The identity document; `undefined` when it is unreadable. Only the owner can open such a repository. */
  readonly doc: IdentityDoc | undefined;
}

/** Memory that an answer may use without a reservation, in bytes. */
const UNRESERVED_BYTES = 1024 * 1024;
/** `Retry-After` of a request for whose answer there is no memory, in seconds. */
const ROOM_RETRY_SECONDS = 5;

/** The route of a request. */
export interface MatchedRoute {
  readonly pattern: string;
  /** Parameters of the path, as they are encoded there. */
  readonly params: Readonly<Record<string, string>>;
  readonly traits: RouteTraits;
}

/** A request being handled. */
export class Call implements Requester {
  /** Charges the share of the client; absent where the answer takes nothing from it. */
  readonly spend: ((ms: number) => void) | undefined;
  /** All computation for the answer, until its last byte is made. */
  readonly task: Task;
  readonly request: Request;
  readonly url: URL;
  readonly service: Service;
  /** The path pattern of the route. */
  readonly pattern: string;
  /** The dialect of the route. */
  readonly dialect: RouteDialect;
  readonly #route: MatchedRoute;
  readonly #client: Client | undefined;
  readonly #share: RequestShare | undefined;
  #opened: { readonly rid: RepoId; readonly repository: Promise<OpenRepository | undefined> } | undefined;
  #isPrivileged: boolean | undefined;
  /** Whether the answer may show private data, so that no cache may store it. */
  showsPrivate = false;
  #changed: OpenRepository | undefined;
  /** Public repositories that were opened for a stranger. */
  readonly shown: ShownRepositories;
  /** Whether a part of the answer is missing for a temporary reason. Such an answer is not cached. */
  isPartial = false;
  /** Whether the request names a commit by a reference, which may move, so that caches have to revalidate. */
  hasMovingName = false;
  /** Parts of the answer, such as diffs, that are cached under keys of their own. */
  readonly parts: CachedPart[] = [];

  /** @param share The shares of clients, of which the answer takes some. */
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
    this.shown = new ShownRepositories(
      (rid) => this.mayRead(rid),
      service.environment,
      this.task,
    );
  }

  /** Whether the client is the owner of the node. */
  get isPrivileged(): boolean {
    return this.#isPrivileged ??= isPrivileged(this.request, this.#client, this.service.privilege);
  }

  /** The sender of the request, for limits on sign-ins. */
  get sender(): Sender {
    const { privilege } = this.service;
    const isForeignPage = isFromForeignPage(this.request, privilege);
    return {
      kind: this.isPrivileged ? "owner" : isForeignPage ? "foreignPage" : "other",
      client: clientKey(this.address),
    };
  }

  /** A new call for the same request, to be answered as to somebody who asks now. */
  again(): Call {
    return new Call(this.service, this.request, this.url, this.#route, this.#client, this.#share);
  }

  /** The call as by a stranger. */
  asStranger(): Call {
    if (!this.isPrivileged) return this;
    return new Call(this.service, this.request, this.url, this.#route, undefined, this.#share);
  }

  /**
   * Filters a list by the repositories that its items name. The owner sees all items; a stranger sees the
   * items that name public repositories in the storage.
   */
  async visibleOf<T>(items: readonly T[], ridOf: (item: T) => RepoId): Promise<readonly T[]> {
    if (this.isPrivileged) {
      this.showsPrivate = true;
      return items;
    }
    const listings = await this.service.storage.listings?.();
    if (listings !== undefined) {
      const present = await listings.present(items.map(ridOf));
      return items.filter((item) => present.has(ridOf(item)));
    }
    const visible: T[] = [];
    for (const item of items) {
      if (await this.tryRepository(ridOf(item)) !== undefined) visible.push(item);
      await this.task.yield();
    }
    return visible;
  }

  /** Filters policies or inventories of the node as {@link visibleOf} does. */
  async visibleOfNode<T>(items: readonly T[], ridOf: (item: T) => RepoId): Promise<readonly T[]> {
    if (this.service.node.namesOnlyPublic && !this.isPrivileged) return items;
    return await this.visibleOf(items, ridOf);
  }

  /** Aborted when the client closes the connection. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  /** Key of the client, for limits of one client and turns in queues; `undefined` for the owner. */
  get peer(): string | undefined {
    return this.isPrivileged ? undefined : clientKey(this.address);
  }

  /** Address of the client, for limits of one client; `undefined` for clients that cannot be told apart. */
  get address(): string | undefined {
    return this.service.addressOf(this.request, this.#client);
  }

  /**
   * A path parameter, decoded.
   *
   * @throws {HttpError} `badParameter` when it is not UTF-8.
   */
  param(name: string): string {
    return decodePercent(this.#route.params[name] ?? "", name);
  }

  /** Whether the path has a parameter. */
  hasParam(name: string): boolean {
    return this.#route.params[name] !== undefined;
  }

  /** A path parameter, parsed as an object id. */
  oid(name: string): Oid {
    return parseOid(this.param(name));
  }

  /** A path parameter that stands for a commit: an object id, or the name of a reference. */
  commitish(name: string): Commitish {
    return parseCommitish(this.param(name));
  }

  /** A path parameter, parsed as a node id. */
  nid(name: string): NodeId {
    return parseNid(this.param(name));
  }

  /** A path parameter, parsed as a repository id. */
  rid(name: string): RepoId {
    return this.service.rid(this.param(name));
  }

  /**
   * Opens a repository for this client.
   *
   * @throws {NotFoundError} when it does not exist or the client may not see it, in the words of the
   *   dialect.
   */
  async repository(rid: RepoId): Promise<OpenRepository> {
    const repository = await this.tryRepository(rid);
    if (repository !== undefined) return repository;
    throw new NotFoundError(this.dialect === "v1" ? `Repository ${rid} was not found` : "Not Found");
  }

  /**
   * Reserves memory for a large answer, if the host bounds that memory. Waits some seconds for it.
   *
   * @param bytes Memory that the answer needs, approximately.
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

  /** A JSON answer from pieces of its text, as {@link jsonPieces}. */
  answer<T>(pieces: Parameters<typeof jsonPieces>[0], options?: PiecesOptions): Promise<AnswerOf<T>> {
    return jsonPieces(pieces, this.service.environment.log, this.task, options);
  }

  /** As {@link repository}, but returns `undefined` instead of `notFound`. Repeated calls open it once. */
  tryRepository(rid: RepoId): Promise<OpenRepository | undefined> {
    if (this.#opened?.rid !== rid) this.#opened = { rid, repository: this.#openRepository(rid) };
    return this.#opened.repository;
  }

  /** Reads the signed references of a repository. */
  sigrefsOf(repository: Repository): SigrefsReader {
    return new SigrefsReader(repository, this.service.sigrefs, this.task);
  }

  /** Whether the client may read a repository now, whatever was opened before. */
  async mayRead(rid: RepoId): Promise<boolean> {
    const { storage, publicRepositories } = this.service;
    const found = this.isPrivileged
      ? await storage.repository(rid)
      : await publicRepositories.open(rid, this.task);
    return found !== undefined;
  }

  /**
   * Opens a repository for a write in the name of the local node.
   *
   * @param token Bearer token of a session.
   * @param open Opens the repository for the client, or throws `NotFoundError`.
   * The checks have this order:
   *
   * @throws {UnauthorizedError} when the session may not write or the node's key is unusable.
   * @throws {NotFoundError} by `open`.
   * @throws {ForbiddenError} when the storage is read-only.
   */
  async place(token: string, open: () => Promise<OpenRepository>): Promise<WritePlace> {
    await this.service.sessions.requireChange(token);
    const signer = await this.service.signer();
    const opened = await open();
    const { objects } = opened;
    if (!isWritable(objects)) throw new ForbiddenError("This service changes no repositories");
    this.#changed = opened;
    return { ...opened, objects, signer };
  }

  /**
   * The consistency token of the repository that this request has changed or read: a state that holds the
   * change, or is as new as the answer. `undefined` when it was none.
   */
  async consistencyToken(): Promise<string | undefined> {
    const opened = this.#changed ?? await this.#opened?.repository;
    if (opened === undefined) return undefined;
    const { rid, objects } = opened;
    // The time comes first: the digest is that of a later state, and either proves the change.
    const atMs = this.service.environment.now();
    return this.service.tokens.sign({ rid, digest: await stateDigest(objects, this.task), atMs });
  }

  async #openRepository(rid: RepoId): Promise<OpenRepository | undefined> {
    const found = this.isPrivileged ? await this.#openAny(rid) : await this.#openPublic(rid);
    if (found === undefined) return undefined;
    const graph = this.service.graphs.current(found.objects);
    return { rid, ...found, graph: graph instanceof Promise ? await graph : graph, task: this.task };
  }

  async #openAny(rid: RepoId): Promise<Pick<OpenRepository, "objects" | "doc"> | undefined> {
    const objects = await this.service.storage.repository(rid);
    if (objects === undefined) return undefined;
    const doc = await this.service.identities.tryDoc(objects, this.task);
    if (doc?.visibility.type !== "public") this.showsPrivate = true;
    return { objects, doc };
  }

  async #openPublic(rid: RepoId): Promise<Pick<OpenRepository, "objects" | "doc"> | undefined> {
    const found = await this.service.publicRepositories.open(rid, this.task);
    if (found === undefined) return undefined;
    const { objects, doc, lookedMs } = found;
    this.shown.add(rid, lookedMs);
    return { objects, doc };
  }
}

/**
 * The identity document of a repository.
 *
 * @throws {NotFoundError} when it is unreadable.
 */
export function requireDoc({ rid, doc }: OpenRepository): IdentityDoc {
  if (doc === undefined) throw new NotFoundError(`Repository ${rid} has no readable identity`);
  return doc;
}

/**
 * The project payload of a repository.
 *
 * @throws {NotFoundError} when the identity document is unreadable or has no such payload.
 */
export function requireProject(repository: OpenRepository): Project {
  const { project } = requireDoc(repository);
  if (project === undefined) throw new NotFoundError(`Repository ${repository.rid} is no project`);
  return project;
}

/**
 * The head commit of a repository.
 *
 * @throws {NotFoundError} when it has no head.
 */
export async function requireHead(repository: OpenRepository): Promise<Oid> {
  const head = await readHead(repository, requireDoc(repository));
  if (head === undefined) throw new NotFoundError(`Repository ${repository.rid} has no head`);
  return head;
}

/**
 * Loads a commit and its history into the commit graph, and returns the commit's row.
 *
 * @throws {NotFoundError} when there is no such commit.
 * @throws {TooLargeError} when the commit exceeds the limit of its size.
 */
export async function requireCommit({ objects, graph, task }: OpenRepository, oid: Oid): Promise<number> {
  const row = await graph.load(objects, oid, task);
  return row ?? await refuseCommit(objects, oid);
}

/**
 * The object that an id or a name stands for, in the order of {@link findNamedObject}; hidden references are
 * not found. `HEAD` is the head on which the delegates agree when there is no such reference.
 *
 * @throws {NotFoundError} for `HEAD` when there is no head.
 */
export async function findNamed(repository: OpenRepository, name: string): Promise<Oid | undefined> {
  const found = await findNamedObject(repository.objects, name, (ref) => !isHiddenRef(ref));
  if (found !== undefined || name !== "HEAD") return found;
  return repository.doc === undefined ? undefined : await requireHead(repository);
}

/**
 * The commit for which a text stands; that of an annotated tag is the tagged one. Marks the call: the answer
 * to a name is another one when the reference moves.
 *
 * @param open Opens the repository; called for names only.
 * @throws {NotFoundError} when there is no such reference. An id is returned unseen.
 */
export async function commitOf(
  call: Call,
  commitish: Commitish,
  open: () => Promise<OpenRepository>,
): Promise<Oid> {
  if (isOid(commitish)) return commitish;
  const repository = await open();
  const found = await findNamed(repository, commitish);
  if (found === undefined) throw new NotFoundError(`Commit "${commitish}" was not found`);
  call.hasMovingName = true;
  const [commit = found] = await followTags(repository.objects, [found]);
  return commit;
}

/** Memory of a large commit while it is shown, in multiples of its bytes, about. */
const HELD_FACTOR = 2;

/** Makes room for the large commits of one answer, of which it shows one at a time. */
export class CommitMemory implements CommitReading {
  readonly #call: Call;
  /** Memory of the largest one so far, in bytes, about; 0 when none was large. */
  heldBytes = 0;
  /** Whether memory is reserved: not any more when the answer has begun to leave. */
  isReserved = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @throws {UnavailableError} when no memory becomes free in time. */
  readonly requireRoom = async (bytes: number): Promise<void> => {
    const neededBytes = HELD_FACTOR * bytes;
    if (this.isReserved) await this.#call.requireRoom(neededBytes);
    this.heldBytes = Math.max(this.heldBytes, neededBytes);
  };
}

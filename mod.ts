/**
 * Xylem: the HTTP/JSON API of a Radicle node, as a handler of Fetch requests.
 *
 * @module
 */
export { type Api, type ApiOptions, createApi } from "./src/api.ts";
export { type Answer, type AnswerBody, type StreamedBody, toResponse } from "./src/http/answer.ts";
export type {
  ApiDialect,
  ClientOptions,
  CompatibilityOptions,
  ServiceOptions,
} from "./src/routes/service.ts";
export type { MemoryOptions } from "./src/cache/memory.ts";
export type { WalletOptions } from "./src/session/wallet_sign_in.ts";
export type { ApiExtension } from "./src/ports/extension.ts";
export { NODE_OWNER } from "./src/http/privilege.ts";
export { DEFAULT_TRUSTED_ORIGINS } from "./src/http/privilege.ts";
export {
  ConflictError,
  CoreError,
  DamagedError,
  ForbiddenError,
  InvalidError,
  MalformedError,
  NotFoundError,
  TooLargeError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedError,
} from "./src/errors.ts";
export type { AnswerRoom } from "./src/ports/answer_room.ts";
export type { CacheFolder } from "./src/ports/cache_folder.ts";
export type { Client } from "./src/ports/client.ts";
export {
  type CachedObject,
  type CachedRow,
  type CachedType,
  type CobCache,
  CobCacheError,
  type CobCacheObstacle,
  type RowForm,
} from "./src/ports/cob_cache.ts";
export type { Environment, LogLevel } from "./src/ports/environment.ts";
export type { LoadLibgit2 } from "./src/ports/libgit2.ts";
export type { Session, SessionTable } from "./src/ports/session_table.ts";
export type { LoadSigner, Signer } from "./src/ports/signer.ts";
export type { FetchResult, NodeStatus, RadicleNode, Scope, SeedingPolicy } from "./src/ports/radicle_node.ts";
export type { DerivedData } from "./src/ports/derived_data.ts";
export type { Profile } from "./src/ports/profile.ts";
export type { RequestEvent, RequestShare } from "./src/ports/request_event.ts";
export type {
  RunningWorker,
  StartWorker,
  WorkerEvents,
  WorkerFigures,
  Workers,
} from "./src/ports/workers.ts";
export { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from "./src/diff_service/worker/pool.ts";
export { answerJobs, postLog, type WorkerParts } from "./src/diff_service/worker/worker.ts";
export type {
  Awaitable,
  BatchLimits,
  Committer,
  GitObject,
  ObjectHeader,
  ObjectKind,
  ReadLimits,
  Ref,
  RefChange,
  Repository,
  Storage,
  StoredCommit,
  WritableRepository,
} from "./src/ports/storage.ts";
export type { ListedRepository, Listings, RepositoryListing } from "./src/ports/catalogued_storage.ts";
export { isWritable } from "./src/ports/storage.ts";
export { checkObjectSize, OBJECT_LIMITS } from "./src/git/objects.ts";
export { WriteError, type WriteObstacle } from "./src/ports/write_error.ts";
export type { HomeGeneration } from "./src/identity/generation.ts";
export { type Oid, parseOid } from "./src/ids/oid.ts";
export { parseRid, type RepoId } from "./src/ids/rid.ts";
export { type NodeId, parseNid } from "./src/ids/nid.ts";

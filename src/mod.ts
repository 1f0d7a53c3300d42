/**
 * The exports of the core for extensions. An extension imports nothing else of the core, except the schemas
 * of the contract (`src/contract/mod.ts`) and, for browsers, the client (`src/client/mod.ts`).
 */

// The interface of extensions, and the API that the extensions extend
export type { Extension, RouteFacts, RoutesOf } from "./extension.ts";
export type { ApiExtension } from "./ports/extension.ts";
export { type Api, createApi } from "./api.ts";
export { immutable, type Subject } from "./routes/cacheable.ts";
export type { Call, Handler, Route } from "./routes/call.ts";
export { readPath } from "./routes/dialect.ts";
export { commitOf, findNamed, type OpenRepository } from "./routes/opened_repository.ts";
export { showService } from "./routes/root.ts";
export type { ClientOptions, CompatibilityOptions, ServiceOptions } from "./routes/service.ts";
export type { DocumentDialect, DocumentPart } from "./contract/openapi.ts";
export { OF_FILES, type RouteTraits } from "./contract/traits.ts";
export { parsedBy } from "./contract/queries.ts";

// Requests, responses and errors
export {
  CoreError,
  DamagedError,
  ForbiddenError,
  ifReadable,
  isUnreadable,
  MalformedError,
  messageOf,
  NotFoundError,
  TooLargeError,
  UnavailableError,
  UnsupportedError,
} from "./errors.ts";
export {
  type Answer,
  type AnswerOf,
  discardBody,
  withAnyOrigin,
  withHeaders,
  withoutBody,
} from "./http/answer.ts";
export { normalizeBasePath } from "./http/base_path.ts";
export { readBytes } from "./http/body.ts";
export { clientKey, MAX_ADDRESS_LENGTH, ownAddress, plainAddress } from "./http/client_key.ts";
export { unlessKnown } from "./http/conditional.ts";
export { type ErrorCode, HttpError } from "./http/errors.ts";
export { prefersHtml } from "./http/media_type.ts";
export { countField, DEFAULT_PER_PAGE, pageFields, pagingEntries } from "./http/paging.ts";
export { readQuery } from "./http/parameters.ts";
export { hasTrustworthyOrigin, NODE_OWNER, PROXY_FIELDS } from "./http/privilege.ts";
export { bodyTooLarge, checkDeclaredLength } from "./http/receive_body.ts";
export {
  bytesAnswer,
  failedAnswer,
  json,
  neverThrowing,
  respond,
  textAnswer,
  toErrorAnswer,
} from "./http/respond.ts";

// Interfaces that a host implements
export type { CacheFolder } from "./ports/cache_folder.ts";
export {
  type CataloguedStorage,
  type ChangedRepositories,
  type ChangesPlace,
  isCatalogued,
  type ListedRepository,
  type Listings,
  type ListingSelection,
  type RepositoryListing,
} from "./ports/catalogued_storage.ts";
export type { Deflate, Inflate } from "./ports/compression.ts";
export type { DerivedData, DerivedFile, DerivedRoot } from "./ports/derived_data.ts";
export type { Environment } from "./ports/environment.ts";
export {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  isWritableFileSystem,
  type WritableFileSystem,
} from "./ports/file_system.ts";
export type { Profile } from "./ports/profile.ts";
export type { ProgramCommand, RunningProgram, StartProgram } from "./ports/program.ts";
export type { RadicleNode } from "./ports/radicle_node.ts";
export type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ObjectKind,
  ReadLimits,
  Ref,
  Repository,
  Storage,
} from "./ports/storage.ts";
export type { Requester } from "./ports/workers.ts";
export { WriteError } from "./ports/write_error.ts";

// Ids and texts
export { type Did, didOfNid, nidOfDid, nidToPublicKey, type NodeId, tryParseNid } from "./ids/nid.ts";
export { isOid, type Oid, OID_BYTES, oidFromBytes, writeOid } from "./ids/oid.ts";
export { isRefname, isStoredName, parseCommitish } from "./ids/refname.ts";
export { type RepoId, ridToOid, sortRids, tryParseRid } from "./ids/rid.ts";
export { digest, isSameSecret } from "./text/digest.ts";
export type { Integer } from "./text/integers.ts";
export { SingleUse } from "./text/single_use.ts";
export { compareUtf8, decodeInSteps } from "./text/utf8.ts";
export { MAX_INDEXED_COMMITS } from "./git/commit_loader.ts";
export { decodeDetails, encodeDetails, MAX_DETAILS_BYTES } from "./git/commit_details.ts";
export { graphInMemory, MAX_GRAPH_BYTES, readCommitGraph } from "./git/commit_graph_file.ts";
export { encodeCommitGraph } from "./git/commit_graph_writer.ts";
export type { HistoryColumns } from "./ports/made_history.ts";
export type { StreamedBody } from "./http/answer.ts";
export { rangedAnswer } from "./http/range.ts";
export { byteStream } from "./bytes/byte_stream.ts";
export { firstWhere, isSameBytes, joinBytes, RELEASED_BYTES, viewOf } from "./bytes/bytes.ts";

// Radicle: identities, issues, patches, policies, sessions
export { type IdentityDoc, type Project, tryParseDoc } from "./identity/doc.ts";
export type { Identities } from "./identity/identity.ts";
export type { Cobs } from "./cob/evaluation/store.ts";
export { type Issue, ISSUE_TYPE, IssueState } from "./cob/issue/issue.ts";
export { latest, listComments, type Thread } from "./cob/issue/thread.ts";
export { PATCH_TYPE } from "./cob/patch/patch_action.ts";
export { listReviews, listRevisions, type Patch } from "./cob/patch/patch_state.ts";
export { defaultPolicy } from "./seeding/policy.ts";
export { ALPHANUMERIC, randomText } from "./session/random_text.ts";

// Git
export { parseCommitHeader } from "./git/commit.ts";
export { CommitColumns } from "./git/commit_columns.ts";
export type { CommitGraphs } from "./git/commit_graphs.ts";
export { unstoredHeader, unstoredObject } from "./git/empty_tree.ts";
export { encodeObjectHeader, hashObject, IGNORED_CHARACTERS, isEntryName } from "./git/encode.ts";
export { CommitQueue } from "./git/history_walk.ts";
export {
  checkObjectSize,
  MAX_BLOB_BYTES,
  OBJECT_LIMITS,
  readBatch,
  readBatches,
  readObject,
} from "./git/objects.ts";
export { OidTable, withRoom } from "./git/oid_table.ts";
export {
  digestOfRefs,
  followRef,
  fullNames,
  HIDDEN_PATTERNS,
  hiddenFolderOf,
  isHiddenRef,
  MAX_REF_CHAIN,
  ownHiddenFolders,
  RefTable,
  type ResolvedRef,
  resolveRef,
  resolveRefs,
} from "./git/references.ts";
export { followTags, MAX_TAG_CHAIN, parseTag } from "./git/tags.ts";
export { type EntryKind, TreeCursor } from "./git/tree.ts";
export { checkPackedSize, createUnpack, type Unpack, unpackSlowly } from "./git/unpack.ts";
export { Pack } from "./git/pack/pack.ts";
export { cacheKey, createPackContext, nextPackNumber } from "./git/pack/pack_context.ts";
export type { ByteRange, CacheKey, PackContext, PackSource } from "./git/pack/pack_source.ts";
export { PackStarts } from "./git/pack/pack_starts.ts";
export { SlowObject, SlowReads } from "./git/pack/slow_object.ts";

// Work and memory
export { ByteSemaphore } from "./scheduling/byte_semaphore.ts";
export { type Leave, Limiter } from "./scheduling/limiter.ts";
export { type Scheduler, scheduler } from "./scheduling/scheduler.ts";
export { runSync, type Steps, Task } from "./scheduling/task.ts";
export { mapAtOnce } from "./async/map_ahead.ts";
export { pauseFor, startSystemTimer, type StartTimer, startUnrefTimer, within } from "./async/timer.ts";
export type { LruMap } from "./cache/lru_map.ts";
export { fixedCache, memoize, Memory, type MemoryOptions } from "./cache/memory.ts";

/**
 * Xylem for other runtimes. Creates an API or a service on a Radicle home from functions of the runtime. Only
 * a file system and the compiled libgit2 are required.
 *
 * @example
 * ```ts
 * const parts: HomeParts = { fileSystem: myFiles, loadLibgit2: () => compileLibgit2() };
 * const { api, close } = await assembleHomeApi({ home: "/home/alice/.radicle" }, parts);
 * ```
 *
 * @module
 */
export { type Address, DEFAULT_ADDRESS, formatAddress, parseAddress } from "./server/address.ts";
export { Answers } from "./server/answers.ts";
export { type ConnectionLimits, Connections } from "./server/connections.ts";
export { type Handler, type ResponseClass, steady, type SteadyHandler } from "./server/handler.ts";
export { CLOSE_MS, CUT_MS, finish, ListenError, type Server, type ServerOptions } from "./server/server.ts";
export {
  assembleHomeApi,
  type CreateHomeApi,
  type HomeApi,
  type HomeOptions,
  type OpenHome,
  openHome,
} from "./home/home.ts";
export { formatLine } from "./home/log.ts";
export type { HomeParts, SignerOptions } from "./home/parts.ts";
export type { CreateServer } from "./home/listen.ts";
export { type HomeServer, type Serve, serveHome, type ServeOptions } from "./home/serve_home.ts";
export { type HomeWorkerData, type HomeWorkerParts, workOnHome } from "./home/worker.ts";
export { createHomeStorage, type HomeStorage, type HomeStorageOptions } from "../src/storage/home/storage.ts";
export {
  asLoadSigner,
  createHomeSigner,
  type HomeSignerOptions,
  type OpenSigner,
} from "../src/keys/home_signer.ts";
export { KeyError } from "../src/keys/key_error.ts";
export type { AskAgent } from "../src/keys/ssh_agent.ts";
export type { Deflate } from "../src/ports/compression.ts";
export type {
  DirectoryEntry,
  FileKind,
  FileStat,
  FileSystem,
  FileWriting,
  NewFile,
  OpenFile,
  WritableFileSystem,
} from "../src/ports/file_system.ts";
export type { Inflate } from "../src/ports/compression.ts";
export {
  DatabaseError,
  type DatabaseObstacle,
  type NodeDatabase,
  type Row,
  type SqlValue,
  type Statement,
} from "../src/ports/node_database.ts";
export {
  type AnswerLimits,
  type AskNode,
  type LineListener,
  type NodeObstacle,
  NodeSocketError,
  type SubscribeToNode,
} from "../src/ports/node_socket.ts";
export { type HomeProfile } from "../src/profile/home_profile.ts";
export { ProfileError } from "../src/profile/config.ts";
export type { HomeNode } from "../src/seeding/home_node.ts";
export type { ProgramCommand, ProgramEnd, RunningProgram, StartProgram } from "../src/ports/program.ts";

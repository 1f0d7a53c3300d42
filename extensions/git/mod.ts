/** The extension for clones and fetches over HTTP (docs/api.md, 4.12). */
import type { ApiExtension, Extension, Route } from "../../src/mod.ts";
import type { GitProgram } from "./git_program.ts";
import { OF_GIT } from "./request.ts";
import { refusePush, sendPack, showHead, showRefs } from "./routes.ts";

export type { GitProgram, GitProtocol, UploadPackOutput, UploadPackRequest } from "./git_program.ts";
export type { ApiExtension } from "../../src/mod.ts";

export interface GitOptions {
  /** Runs git processes. Without a program, clones and fetches get the status 501. */
  readonly program?: GitProgram | undefined;
}

/**
 * Serves clones and fetches. In the paths of the routes, `:name` is a repository id with or without `rad:`,
 * and with or without `.git`. `:nid` is a node whose namespace is served as if it were a repository.
 */
export function git({ program }: GitOptions): ApiExtension {
  const below = (base: string): readonly Route[] => [
    ["GET", `${base}/info/refs`, (call) => showRefs(call, program), OF_GIT],
    ["GET", `${base}/HEAD`, showHead, OF_GIT],
    ["POST", `${base}/git-upload-pack`, (call) => sendPack(call, program), OF_GIT],
    ["GET", `${base}/git-receive-pack`, refusePush, OF_GIT],
    ["POST", `${base}/git-receive-pack`, refusePush, OF_GIT],
  ];
  const extension: Extension = {
    name: "git",
    routes: () => [...below("/:name"), ...below("/:name/:nid")],
    document: async (dialect) => (await import("./carried/document.ts")).DOCUMENT[dialect],
  };
  return extension;
}

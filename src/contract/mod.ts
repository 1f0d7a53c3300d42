/** Schemas and functions of the contract that the contracts of extensions use. */
export { type Endpoint, type FileContent, read, route } from "./endpoint.ts";
export { OF_READS } from "./errors.ts";
export { PatchState } from "./patches.ts";
export { Service } from "./root.ts";
export { Author } from "./thread.ts";
export { list, Oid, RepoId } from "./values.ts";

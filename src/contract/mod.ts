/** Schemas and functions for the contracts of extensions. */
export { type Endpoint, type FileContent, read, route } from "./endpoint.ts";
export { OF_READS } from "./errors.ts";
export { PatchState } from "./patches.ts";
export { Service } from "./root.ts";
export { Author } from "./thread.ts";
export { list, Oid, RepoId } from "./values.ts";

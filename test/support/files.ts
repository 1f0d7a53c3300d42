/** The file system of the runtime that runs the test. */
import { fileSystem as denoFileSystem } from "../../adapters/deno/file_system.ts";
import { fileSystem as nodeFileSystem } from "../../adapters/node/file_system.ts";

/** The file system of a service on this runtime. */
export const fileSystem: typeof nodeFileSystem = "Deno" in globalThis ? denoFileSystem : nodeFileSystem;

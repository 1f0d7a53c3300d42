/** The real files, as the runtime that runs the test brings them. */
import { fileSystem as denoFileSystem } from "../../adapters/deno/file_system.ts";
import { fileSystem as nodeFileSystem } from "../../adapters/node/file_system.ts";

/** What a service on this runtime would read with. */
export const fileSystem: typeof nodeFileSystem = "Deno" in globalThis ? denoFileSystem : nodeFileSystem;

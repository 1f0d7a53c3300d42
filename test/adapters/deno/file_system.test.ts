/** Files as Deno finds and reads them. */
import { fileSystem } from "../../../adapters/deno/file_system.ts";
import { testFileSystem } from "../node/file_system_suite.ts";

testFileSystem("the file system of Deno", fileSystem, { skip: !("Deno" in globalThis) });

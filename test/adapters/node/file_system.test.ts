/** Files through `node:fs`, which every runtime has. */
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { testFileSystem } from "./file_system_suite.ts";

testFileSystem("the file system of Node.js", fileSystem);

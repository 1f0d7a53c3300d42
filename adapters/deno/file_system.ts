/** Node.js's module: Deno has `node:fs`, too. */
export { fileSystem } from "../node/file_system.ts";

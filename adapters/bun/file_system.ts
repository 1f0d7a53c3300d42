/** Node.js's module: Bun has `node:fs`, too. */
export { fileSystem } from "../node/file_system.ts";

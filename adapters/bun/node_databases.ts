/** Node.js's module: Bun has `node:sqlite`, too. */
export { createNodeDatabase } from "../node/node_databases.ts";

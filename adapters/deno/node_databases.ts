/** Node.js's module: Deno has `node:sqlite`, too. */
export { createNodeDatabase } from "../node/node_databases.ts";

/** Node.js's module: Bun has `node:net`, too. */
export { createAskNode } from "../node/radicle_node.ts";

/** Node.js's module: Deno has `node:net`, too. */
export { createAskNode } from "../node/radicle_node.ts";

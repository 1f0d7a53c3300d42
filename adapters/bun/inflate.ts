/** Node.js's module: Bun has `node:zlib`, too. */
export { inflate } from "../node/inflate.ts";

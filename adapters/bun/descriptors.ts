/** The same as on Node.js. */
export { descriptorLimit } from "../node/descriptors.ts";

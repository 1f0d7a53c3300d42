/** Node.js's module: Bun has `node:net`, too. */
export { loadSigner, openSigner, type SignerOptions } from "../node/signer.ts";

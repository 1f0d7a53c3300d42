/** Node.js's module: Deno has `node:net`, too. */
export { loadSigner, openSigner, type SignerOptions } from "../node/signer.ts";

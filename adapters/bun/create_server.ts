/** The same as on Node.js, by this runtime's `node:http`: its own server has no limits (see CONTRIBUTING.md, Decisions). */
export { createServer } from "../node/create_server.ts";

/** Node.js's module: Bun has `node:net`, too. */
export { AGENT_TIMEOUT_MS, createAskAgent } from "../node/ssh_agent.ts";

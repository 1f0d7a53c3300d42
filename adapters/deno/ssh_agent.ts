/** Node.js's module: Deno has `node:net`, too. */
export { AGENT_TIMEOUT_MS, createAskAgent } from "../node/ssh_agent.ts";

/**
 * The program of a worker as text: CommonJS with all its modules, for Node.js, Deno and Bun. The build
 * inserts it (`build/carry_worker.mjs`), because bundlers do not include a file that only a worker executes.
 * In a checkout it is empty.
 */
export const WORKER_TEXT: string = "";

/**
 * The program of a worker as text, CommonJS with all its modules, for Node.js, Deno and Bun alike. The build
 * puts it here (`build/carry_worker.mjs`): a bundler carries no file that only a worker executes. In a
 * checkout it is empty.
 */
export const WORKER_TEXT: string = "";

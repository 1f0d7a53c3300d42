/**
 * The program of a worker as one CommonJS text, for Node.js, Deno and Bun. The build inserts the text
 * (`build/carry_worker.mjs`), because bundlers do not include a file that only a worker executes. In a
 * checkout the text is empty.
 */
export const WORKER_TEXT: string = "";

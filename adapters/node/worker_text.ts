/**
 * The program of a worker as text. The text is CommonJS code that contains all modules of the program, for
 * Node.js, Deno and Bun. The build inserts the text (`build/carry_worker.mjs`), because bundlers do not
 * include a file that only a worker executes. In a checkout the text is empty.
 */
export const WORKER_TEXT: string = "";

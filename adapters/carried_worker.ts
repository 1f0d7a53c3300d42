/**
 * The program of a worker, which the package contains as text. The same program runs on Node.js, Deno and
 * Bun.
 */
import { fileSystem as denoFiles } from "./deno/file_system.ts";
import { fileSystem as nodeFiles } from "./node/file_system.ts";
import { workInThread } from "./node/worker_thread.ts";
import { inflate } from "./node/zlib.ts";

workInThread({ fileSystem: "Deno" in globalThis ? denoFiles : nodeFiles, inflate });

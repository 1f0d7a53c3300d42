/** The program of workers on Node.js and Bun. */
import { fileSystem } from "./file_system.ts";
import { workInThread } from "./worker_thread.ts";
import { inflate } from "./zlib.ts";

workInThread({ fileSystem, inflate });

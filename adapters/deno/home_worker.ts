/** The program of workers on Deno. */
import { fileSystem } from "./file_system.ts";
import { workInThread } from "../node/worker_thread.ts";
import { inflate } from "../node/zlib.ts";

workInThread({ fileSystem, inflate });

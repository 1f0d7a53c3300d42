/** The server of the runtime that executes this. */
import type { CreateServer } from "../../adapters/home/listen.ts";
import { adapter } from "./this_runtime.ts";

/** Puts a handler on a socket. */
export const createServer: CreateServer = adapter.createServer;

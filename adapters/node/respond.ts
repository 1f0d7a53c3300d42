/** Answers that srvx sends as they are; those of Node.js itself are copied and read as streams. */
import { FastResponse } from "srvx/node";
import type { Respond } from "../../mod.ts";

/** An answer for srvx, which is a `Response` for everybody else. */
export const respond: Respond = (bytes, headers) => new FastResponse(bytes, { headers });

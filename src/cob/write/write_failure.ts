/** Turns failures of a change into answers to the client. */
import { ApiError } from "../../errors.ts";
import type { Environment } from "../../ports/environment.ts";
import { WriteError } from "../../ports/write_error.ts";
import { Refusal } from "../refusal.ts";

/** Error codes for changes that an object refuses. */
const CODES = {
  denied: "forbidden",
  missing: "notFound",
  invalid: "conflict",
  malformed: "conflict",
} as const;

/** The error for the client; errors other than refusals and failed writes are returned as they are. */
export function explainWriteFailure(error: unknown, log: Environment["log"]): unknown {
  if (error instanceof Refusal) return new ApiError(CODES[error.reason], error.message);
  if (!(error instanceof WriteError)) return error;
  log("error", "Cannot write", error);
  return error.obstacle === "busy"
    ? new ApiError("unavailable", "Other programs are writing to the repository")
    : new ApiError("unavailable", "The repository cannot be written to");
}

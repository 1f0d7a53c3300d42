#!/usr/bin/env node
/**
 * Runs the `xylem` command on all runtimes. The exit status is 0 for success, 1 for failure, 2 for wrong
 * usage, or the `exitStatus` of the error. Most modules are imported only after the call of
 * `enableCompileCache`, because Node.js does not save the compiled code of modules that were imported before.
 */
import process from "node:process";
import { usualCachePath } from "../node/cache_folder.ts";
import { enableCompileCache } from "../node/compile_cache.ts";
import { requireNode } from "../node/required_version.ts";

/** Options for which the command only prints a text. */
const SHORT = new Set(["--help", "-h", "--version", "-v", "-V"]);

try {
  requireNode();
  const [first, ...rest] = process.argv.slice(2);
  // `deno task` and some scripts pass a leading `--` to the command.
  const args = first === undefined || first === "--" ? rest : [first, ...rest];
  enableCompileCache(() => cachePathOf(args));
  const { runCommand } = await import("./command.ts");
  await runCommand(args);
} catch (error) {
  const message = isMissingModule(error)
    ? "A module is missing: run npm run setup in a checkout, or install the package again"
    : error instanceof Error
    ? error.message
    : String(error);
  const isWrongUse = error instanceof Error && error.name === "UsageError";
  const line = message.split("\n").map((part) => part.trim()).filter(Boolean).join(" ");
  process.stderr.write(`xylem: ${line}${isWrongUse ? "; see xylem help" : ""}\n`);
  process.exitCode = error instanceof Error && "exitStatus" in error ? Number(error.exitStatus) : 1;
}

/** Whether an import failed because a file or package does not exist. On Bun, the error has another class. */
function isMissingModule(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  return "code" in error && error.code === "ERR_MODULE_NOT_FOUND" ||
    "name" in error && error.name === "ResolveMessage";
}

/**
 * Returns the path of the cache folder for a command line that is not yet validated; `undefined` without a
 * cache folder, and for commands that end at once.
 */
function cachePathOf(args: readonly string[]): string | undefined {
  const isLong = (args[0] ?? "serve") === "serve" || args[0] === "publish" || args[0]!.startsWith("-");
  if (!isLong || args.some((arg) => SHORT.has(arg))) return undefined;
  const at = args.findLastIndex((arg) => arg === "--cache" || arg.startsWith("--cache="));
  const named = args[at]?.startsWith("--cache=") ? args[at].slice("--cache=".length) : args[at + 1];
  const path = at === -1 ? usualCachePath() : named;
  return path === "none" || path === "" ? undefined : path;
}

/** The `xylem` command with faults of its own: SIGUSR2 rejects a promise, SIGHUP throws an exception. */
import process from "node:process";

process.on("SIGUSR2", () => void Promise.reject(new Error("gone wrong")));
process.on("SIGHUP", () => {
  setTimeout(() => {
    throw new Error("gone worse");
  });
});
await import("../../../adapters/cli/main.ts");

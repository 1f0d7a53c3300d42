/** Runs one command line of `xylem`. */
import process from "node:process";
import { VERSION } from "../../src/version.ts";
import { helpOf } from "./help.ts";
import { parseCommand } from "./parse_command.ts";
import { readVariable } from "./variables.ts";

/**
 * Runs the command that the arguments name. If the command starts a service, the service continues after the
 * promise has resolved.
 *
 * @throws {UsageError} when the command line is wrong.
 * @throws {Error} with a message for the user when the command fails.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  const command = parseCommand(args, {
    PORT: readVariable("PORT"),
    XYLEM_SESSIONS: readVariable("XYLEM_SESSIONS"),
  });
  switch (command.verb) {
    case "help":
      process.stdout.write(helpOf(command.of));
      break;
    case "version":
      process.stdout.write(`${VERSION}\n`);
      break;
    case "session": {
      const { sessionCommand } = await import("./session.ts");
      await sessionCommand(command);
      break;
    }
    case "publish": {
      const { publishCommand } = await import("./publish_command.ts");
      await publishCommand(command);
      break;
    }
    case "serve": {
      const { bucket } = command;
      if (bucket !== undefined) {
        const { replicaCommand } = await import("./replica_command.ts");
        await replicaCommand({ ...command, bucket });
      } else {
        const { serveCommand } = await import("./serve_command.ts");
        await serveCommand(command);
      }
    }
  }
}

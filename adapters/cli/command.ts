/** Runs one command line of `xylem`. */
import process from "node:process";
import { VERSION } from "../../src/version.ts";
import { HELP, PUBLISH_HELP, SESSION_HELP } from "./help.ts";
import { parseCommand } from "./options.ts";
import { readVariable } from "./variables.ts";

/**
 * Does what the arguments after the command's name say. A service goes on after that.
 *
 * @throws {UsageError} for a command line that cannot be followed.
 * @throws {Error} with a message for the user when it cannot be done.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  const command = parseCommand(args, {
    PORT: readVariable("PORT"),
    XYLEM_SESSIONS: readVariable("XYLEM_SESSIONS"),
  });
  switch (command.verb) {
    case "help":
      process.stdout.write(
        command.of === "session" ? SESSION_HELP : command.of === "publish" ? PUBLISH_HELP : HELP,
      );
      break;
    case "version":
      process.stdout.write(`${VERSION}\n`);
      break;
    case "session": {
      const { parseSessionCommand, sessionCommand } = await import("./session.ts");
      await sessionCommand(parseSessionCommand(command.rest));
      break;
    }
    case "publish": {
      const { parsePublishCommand, publishCommand } = await import("./publish_command.ts");
      await publishCommand(parsePublishCommand(command.rest));
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

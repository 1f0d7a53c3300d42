#!/usr/bin/env node
/**
 * The `xylem` command, on whichever runtime executes it. Exit status: 0 done, 1 cannot be done, 2 wrong use.
 */
import process from "node:process";
import { requireNode } from "../node/required_version.ts";
import { VERSION } from "../../src/version.ts";
import { HELP, PUBLISH_HELP, SESSION_HELP } from "./help.ts";
import { parseCommand, UsageError } from "./options.ts";
import { readVariable } from "./variables.ts";

try {
  requireNode();
  const command = parseCommand(process.argv.slice(2), {
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
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const [line, hint, status] = error instanceof UsageError
    ? [message, "; see xylem help", 2]
    : [message, "", 1];
  process.stderr.write(
    `xylem: ${line.split("\n").map((part) => part.trim()).filter(Boolean).join(" ")}${hint}\n`,
  );
  process.exitCode = status;
}

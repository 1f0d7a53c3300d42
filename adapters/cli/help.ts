/** Help texts of the command. */
import { optionsText, type OptionTable } from "./command_line.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS, SESSION_OPTIONS } from "./options.ts";
import type { HelpedVerb } from "./parse_command.ts";

/** Parts of a help text: before the options, and after them. */
interface Help {
  readonly start: string;
  readonly options: OptionTable;
  readonly end?: string;
}

const HELP: Readonly<Record<HelpedVerb, Help>> = {
  serve: {
    start: `Serves a Radicle home over HTTP.

Usage: xylem [serve] [options]
       xylem session [options]      sign in to a running service: see xylem help session
       xylem publish BUCKET         copy public repositories into a bucket: see xylem help publish
       xylem help [session|publish], xylem version
`,
    options: SERVE_OPTIONS,
  },
  session: {
    start:
      `Signs in to a running service with the key of a home. Prints a bearer token for scripts, and links for a
browser: one to a web app, and one to the page of the service itself.

Usage: xylem session [options]

`,
    options: SESSION_OPTIONS,
    end: `
A key with a passphrase is unlocked by RAD_PASSPHRASE, or by the ssh-agent behind SSH_AUTH_SOCK.
`,
  },
  publish: {
    start:
      `Copies the public repositories of a home into a bucket, from which any number of machines serve them. Only
what is new is sent; a repository that becomes private or is removed vanishes from the bucket.

Usage: xylem publish BUCKET [options]

BUCKET is s3://name/prefix, or a folder. An S3 server is named by AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY.

`,
    options: PUBLISH_OPTIONS,
    end: `
The bucket has to be there, or the folder that the folder is in. Without a terminal it prints a line of JSON for each
repository that was published, and for each round through all; standard error says every ten seconds how far it is.
`,
  },
};

/** Returns the text of `xylem help VERB`. */
export function helpOf(verb: HelpedVerb): string {
  const { start, options, end = "" } = HELP[verb];
  return `${start}${optionsText(options)}${end}`;
}

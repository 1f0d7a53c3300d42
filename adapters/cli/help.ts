import { optionsText, type OptionTable } from "./command_line.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS, SESSION_OPTIONS } from "./options.ts";
import type { HelpedVerb } from "./parse_command.ts";

/** Text before and after the options. */
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
If the key has a passphrase, set RAD_PASSPHRASE, or add the key to the ssh-agent of SSH_AUTH_SOCK.
`,
  },
  publish: {
    start:
      `Copies the public repositories of a home into a bucket, from which any number of machines serve them. Only
what is new is sent. A repository that becomes private or is removed is removed from the bucket.

Usage: xylem publish BUCKET [options]

BUCKET is s3://name/prefix, or a folder. An S3 server is named by AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY.

`,
    options: PUBLISH_OPTIONS,
    end: `
The bucket, or the parent of the folder, must exist. Without a terminal, the command prints a line of JSON for each
published repository and for each round through all of them. Every ten seconds standard error shows the progress.
`,
  },
};

/** Returns the text of `xylem help VERB`. */
export function helpOf(verb: HelpedVerb): string {
  const { start, options, end = "" } = HELP[verb];
  return `${start}${optionsText(options)}${end}`;
}

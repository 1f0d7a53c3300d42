/** Texts by which the command explains itself. */

/** The text of `--help`. */
export const HELP = `Serves a Radicle home over HTTP.

Usage: xylem [serve] [options]
       xylem session [options]      sign in to a running service: see xylem help session
       xylem publish BUCKET         copy public repositories into a bucket: see xylem help publish
       xylem help [session|publish], xylem version

Where:
  --port PORT            listen on this port of 127.0.0.1; 8080 by default, or the variable PORT
  --listen ADDRESS       listen here: PORT, HOST:PORT, [IPV6]:PORT or unix:PATH; may be repeated
  --max-connections N    connections at a time; by default a quarter of the file descriptors that the process may
                         have, at most 1024

What:
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle, else the demo home
  --demo                 serve a demo home, which is made on first use
  --api v1|today|both    routes: those specified for version 1 (/projects), those of today's radicle-httpd (/repos),
                         or both, the default
  --no-page              browsers get JSON at / like all others, in place of a page to look around in
  --alias NAME RID, -a   NAME may stand for the repository RID in paths; may be repeated
  --evaluation newest|1.1|0.10|2024
                         evaluate issues and patches as today's programs do, the default, as earlier releases up to 1.2
                         or 1.0, or as those of early 2024
  --answers spec|objects form of reactions and review comments: pairs as specified, the default, or objects
  --object-time SECONDS  write everything with this time: for tests and recordings

From a bucket:
  --bucket ADDRESS       in place of a home, serve what xylem publish has put into this bucket: s3://name/prefix with
                         the usual AWS_* variables, the https:// address of a public bucket, or a folder; nobody is
                         taken for the owner of the node
  --origin URL           the service beside the home: it gets changes, sessions, searches and clones, which are
                         refused without it
  --fresh SECONDS        ask the bucket for changes of a repository after this time; 2 by default

For whom:
  --behind-proxy         requests come through a proxy: nobody is taken for the owner of the node
  --trust-origin ORIGIN  web pages of this origin may act for the owner, as those of https://app.radicle.xyz may;
                         may be repeated
  --sign-in key|wallet   how clients sign in: with the node's key, the default, or with an Ethereum wallet
  --wallet ADDRESS       this wallet may change things; may be repeated; sign-in with wallets needs one, and the host
                         that messages must name in the variable SERVICE_DOMAIN
  --sessions PLACE       where sessions are: memory, the default; the path of a file, with which a restart signs nobody
                         out; or redis://HOST:PORT, rediss://… or unix:PATH of a store with the protocol of Redis, which
                         several processes may share. The variable XYLEM_SESSIONS stands for it, and shows no password
                         to other users of the machine
  --chain ID             messages of wallets may name this chain; 1 by default; may be repeated

Memory:
  --cache DIR            keeps indexes of long histories, and what was read from a bucket, here; by default in
                         XDG_CACHE_HOME/xylem, else ~/.cache/xylem; "none" keeps none
  --memory SIZE          memory of all caches: bytes, or a number with K, M or G; 1903M by default, of which a service
                         takes what it needs
  --cache-size SIZE      memory for cached answers on commits, diffs, folders and files, a part of --memory; 64M by
                         default, 0 for none

  -h, --help             show this text
  -v, --version          show the version
`;

/** The text of `xylem help session`. */
export const SESSION_HELP =
  `Signs in to a running service with the key of a home. Prints a bearer token for scripts, and links for a
browser: one to a web app, and one to the page of the service itself.

Usage: xylem session [options]

  --base URL             the service; http://127.0.0.1:8080 by default
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle
  --demo                 use the key of the demo home
  --explorer URL         the web app that the first link leads to; https://app.radicle.xyz by default
  -h, --help             show this text

A key with a passphrase is unlocked by RAD_PASSPHRASE, or by the ssh-agent behind SSH_AUTH_SOCK.
`;

/** The text of `xylem help publish`. */
export const PUBLISH_HELP =
  `Copies the public repositories of a home into a bucket, from which any number of machines serve them. Only what is
new is sent; a repository that becomes private or is removed vanishes from the bucket.

Usage: xylem publish BUCKET [options]

  BUCKET                 s3://name/prefix, or a folder. An S3 server is named by AWS_ENDPOINT_URL, AWS_REGION,
                         AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
  --watch                go on, and publish each change within two seconds, in a home of up to some 5,000
                         repositories; beyond, it takes longer to see one
  --home DIR             the Radicle home, by default RAD_HOME, else ~/.radicle
  --demo                 publish the demo home, which is made on first use
  --evaluation newest|1.1|0.10|2024
                         evaluate issues and patches by these rules, as the machines do that serve them
  --grace SECONDS        remove what no repository needs any more after this time; 3600 by default
  --cache DIR            keeps indexes of long histories here, as xylem serve does; "none" keeps none
  -h, --help             show this text

Without a terminal it prints a line of JSON for each repository that was published, and for each round through all.
`;

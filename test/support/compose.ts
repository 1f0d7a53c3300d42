/** The services of `deploy/compose.yaml`, as a composer would start them, on this machine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT, type Runtime, type Service, startContained } from "./programs.ts";

/** A service, with the variables of the composition replaced by their defaults. */
export interface ComposedService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

/** The composition. */
export interface Composition {
  readonly services: Readonly<Record<string, ComposedService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** `${NAME:-default}` of the Compose specification (Interpolation). */
const VARIABLE = /\$\{[A-Z_]+:-([^}]*)\}/g;

/** Reads the composition. */
export function readComposition(): Composition {
  const text = readFileSync(join(ROOT, "deploy", "compose.yaml"), "utf8");
  return parse(text.replace(VARIABLE, (_, usual: string) => usual), { merge: true });
}

/** Words of a service's command, with some of them replaced. Each of the replaced words must exist. */
export function commandOf(name: string, others: Readonly<Record<string, string>>): readonly string[] {
  const words = readComposition().services[name]?.command;
  if (words === undefined) throw new Error(`No service ${name} with a command`);
  const missing = Object.keys(others).find((word) => !words.includes(word));
  if (missing !== undefined) throw new Error(`No ${missing} in ${words.join(" ")}`);
  return words.map((word) => others[word] ?? word);
}

/**
 * Starts a replica of a published bucket: the container of the composition, with an address of this machine,
 * and without the service on the home.
 *
 * @param env Variables of S3.
 * @param cache Folder for what was read.
 */
export async function startReplica(
  runtime: Runtime,
  env: Readonly<Record<string, string>>,
  cache: string,
): Promise<Service> {
  const [program, ...words] = commandOf("replica1", {
    "0.0.0.0:8080": "127.0.0.1:0",
    "/var/cache/xylem": cache,
  });
  if (program !== "node") throw new Error(`The container runs ${program}`);
  // The container has only these variables.
  const { environment = {} } = readComposition().services["replica1"]!;
  const strange = Object.keys(env).find((name) => environment[name] === undefined);
  if (strange !== undefined) throw new Error(`The container does not get ${strange}`);
  const at = words.indexOf("--origin");
  return await startContained(runtime, words.toSpliced(at, 2), env);
}

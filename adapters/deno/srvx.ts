/** srvx as far as Deno's permissions allow it: nobody is asked for more. */
import process from "node:process";

/** Loads srvx, which asks for variables of the terminal then; one that may not be read is one that is not set. */
export async function loadSrvx(): Promise<typeof import("srvx/node")> {
  const { env } = process;
  process.env = new Proxy({}, {
    get(_target, name) {
      try {
        return Reflect.get(env, name);
      } catch {
        return undefined;
      }
    },
  });
  try {
    return await import("srvx/node");
  } finally {
    process.env = env;
  }
}

/** srvx as far as Deno's permissions allow it: there is no prompt for more. */
import process from "node:process";
import { isGranted } from "./permission.ts";

/**
 * Loads srvx, which reads variables of the terminal at that moment. Where they may not be read, `process.env`
 * is without them until srvx is loaded.
 */
export async function loadSrvx(): Promise<typeof import("srvx/node")> {
  if (isGranted({ name: "env" })) return await import("srvx/node");
  const { env } = process;
  process.env = new Proxy({}, {
    get: (_target, name) =>
      typeof name === "string" && isGranted({ name: "env", variable: name })
        ? Reflect.get(env, name)
        : undefined,
  });
  try {
    return await import("srvx/node");
  } finally {
    process.env = env;
  }
}

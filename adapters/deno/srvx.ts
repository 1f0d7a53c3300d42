import process from "node:process";
import { isGranted } from "./permission.ts";

/**
 * Loads srvx without a prompt for permissions. srvx reads environment variables when it is loaded. If Deno
 * may not read all variables, `process.env` contains only the permitted variables while srvx is loaded.
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

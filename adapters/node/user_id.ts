/** Whether files are the user's own. */
import process from "node:process";

/** The part of Deno that says what is permitted; other runtimes have no such limits. */
interface Limited {
  readonly Deno?: {
    readonly permissions: {
      querySync(permission: { readonly name: "sys"; readonly kind: "uid" }): { readonly state: string };
    };
  };
}

/** Id of the user; `undefined` where users have none (Windows), and on Deno without `--allow-sys=uid`. */
export function userId(): number | undefined {
  const { Deno } = globalThis as Limited;
  const isKnown = Deno === undefined ||
    Deno.permissions.querySync({ name: "sys", kind: "uid" }).state === "granted";
  return isKnown ? process.getuid?.() : undefined;
}

/** Whether a file with this owner is the user's own. Without user ids, every file counts as ours. */
export function isOwn(uid: number): boolean {
  return uid === (userId() ?? uid);
}

/** The user who runs this process, as the owner of files. */
import process from "node:process";

/** The part of Deno with its permissions. Other runtimes have no permissions. */
interface Limited {
  readonly Deno?: {
    readonly permissions: {
      querySync(permission: { readonly name: "sys"; readonly kind: "uid" }): { readonly state: string };
    };
  };
}

/**
 * Returns the id of the user; `undefined` where users have no ids (Windows), and on Deno without
 * `--allow-sys=uid`.
 */
export function userId(): number | undefined {
  const { Deno } = globalThis as Limited;
  const isKnown = Deno === undefined ||
    Deno.permissions.querySync({ name: "sys", kind: "uid" }).state === "granted";
  return isKnown ? process.getuid?.() : undefined;
}

/** Whether a file with this owner is ours. Without user ids, every file counts as ours. */
export function isOwn(uid: number): boolean {
  return uid === (userId() ?? uid);
}

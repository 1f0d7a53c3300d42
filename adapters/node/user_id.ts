/** Finds the user who runs this process, and checks the owner of files. */
import process from "node:process";

/** The member of Deno with the permissions. Other runtimes have no permissions. */
interface Limited {
  readonly Deno?: {
    readonly permissions: {
      querySync(permission: { readonly name: "sys"; readonly kind: "uid" }): { readonly state: string };
    };
  };
}

/**
 * Returns the id of the user; `undefined` on systems where users have no ids (Windows), and on Deno without
 * `--allow-sys=uid`.
 */
export function userId(): number | undefined {
  const { Deno } = globalThis as Limited;
  const isKnown = Deno === undefined ||
    Deno.permissions.querySync({ name: "sys", kind: "uid" }).state === "granted";
  return isKnown ? process.getuid?.() : undefined;
}

/**
 * Checks whether the user of this process owns a file. Without user ids, the result is `true` for every file.
 *
 * @param uid Id of the file's owner.
 */
export function isOwn(uid: number): boolean {
  return uid === (userId() ?? uid);
}

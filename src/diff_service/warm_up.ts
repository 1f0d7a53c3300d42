import type { Libgit2Calls } from "../diff/libgit2/engine.ts";
import { hashObject } from "../git/encode.ts";

const encoder = new TextEncoder();

/**
 * Compiles and starts libgit2 by a search for a moved file of a few lines. Never rejects, because the first
 * diff that needs libgit2 reports errors.
 */
export async function warmUpLibgit2(libgit2: Libgit2Calls): Promise<void> {
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
  const [old, now] = [text, `${text}more\n`].map((content) => {
    const bytes = encoder.encode(content);
    return { oid: hashObject("blob", bytes), bytes, mode: "blob" } as const;
  });
  const changes = [{ path: "old", old: old! }, { path: "new", new: now! }];
  const contents = new Map([old!, now!].map(({ oid, bytes }) => [oid, bytes]));
  await libgit2.status(changes, contents).catch(() => {});
}

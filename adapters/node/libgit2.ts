/** The compiled libgit2 of the installed package wasm-git. Works on all three runtimes. */
import { readFile } from "node:fs/promises";

/** Reads and compiles `lg2.wasm`. */
export async function loadLibgit2(): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(import.meta.resolve("wasm-git/lg2.wasm")));
  return await WebAssembly.compile(bytes);
}

/**
 * The compiled libgit2 that this package carries in a module, for every host that compiles WebAssembly:
 * runtimes, single files, browsers. A host that does not, such as Cloudflare's workerd, imports
 * `wasm-git/lg2.wasm` as a module and passes it instead of {@link loadLibgit2}.
 *
 * @module
 */
import type { CompiledLibgit2, LoadLibgit2 } from "../../ports/libgit2.ts";

/** Unpacks and compiles the carried libgit2. Loads nothing before the call. */
export const loadLibgit2: LoadLibgit2 = async () => {
  const { PACKED_WASM } = await import("./carried/wasm.js");
  const text = atob(PACKED_WASM);
  // A call for each character takes several times as long.
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const wasm = await new Response(unpacked).arrayBuffer();
  return await WebAssembly.compile(wasm) as CompiledLibgit2;
};

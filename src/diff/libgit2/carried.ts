/**
 * The compiled libgit2, which this package contains as a module, for every host that can compile WebAssembly:
 * runtimes, bundles in a single file, and browsers. A host that cannot compile it, such as workerd of
 * Cloudflare, imports `wasm-git/lg2.wasm` as a module and passes it instead of {@link loadLibgit2}.
 *
 * @module
 */
import type { CompiledLibgit2, LoadLibgit2 } from "../../ports/libgit2.ts";

/**
 * Decompresses and compiles the libgit2 that this package contains. Nothing is loaded before the first call.
 */
export const loadLibgit2: LoadLibgit2 = async () => {
  const { PACKED_WASM } = await import("./carried/wasm.js");
  const text = atob(PACKED_WASM);
  // A callback for each character would take several times as long.
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const wasm = await new Response(unpacked).arrayBuffer();
  return await WebAssembly.compile(wasm) as CompiledLibgit2;
};

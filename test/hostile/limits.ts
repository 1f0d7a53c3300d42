/** What hostile repositories and requests may cost others. */
import type { Runtime } from "../support/programs.ts";

/** Maximum additional wait of other clients, compared with an idle service. */
export const MAX_DELAY_MS = 50;
/** Maximum memory on top of the idle process, in MiB. */
export const MAX_GROWTH_MIB = 256;
/** Maximum memory of the whole process on Bun, which has no heap limit, in MiB. */
export const MAX_BUN_MIB = 1536;
/**
 * Heap limits. JavaScriptCore has none: it is told the size of the machine's memory, as a container's limit
 * tells it, lets less garbage gather than by itself, and works on while that is collected (docs/caches.md).
 * The process is watched besides.
 */
export const ENVIRONMENT: Record<Runtime, Record<string, string>> = {
  node: { NODE_OPTIONS: "--max-old-space-size=1024" },
  deno: { DENO_V8_FLAGS: "--max-old-space-size=1024" },
  bun: {
    BUN_JSC_forceRAMSize: String(MAX_BUN_MIB * 2 ** 20),
    BUN_JSC_smallHeapGrowthFactor: "1.3",
    BUN_JSC_concurrentGCMaxHeadroom: "2.5",
  },
};

/**
 * Loaded before a test file on Node.js (`--import`): its test runner follows each promise of the code under test, to name the
 * test that an uncaught error belongs to, which costs a quarter of the processor time. Without promises, such an error fails
 * the file in place of the test; timers and other resources are followed as before.
 */
import hooks, { type HookCallbacks } from "node:async_hooks";

const { createHook } = hooks;
Object.assign(hooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
});

/** Measures calls to a system outside of the process, such as a bucket or a store of sessions. */

/** Called after each call, with the name, the outcome, and the duration of the call in seconds. */
export type ObserveCall = (call: string, outcome: "ok" | "error", seconds: number) => void;

/**
 * Wraps an object so that each call of its methods is measured. If a call returns a list piece by piece, only
 * the time until the first piece is measured.
 */
export function watchedCalls<T extends object>(target: T, observe: ObserveCall): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string" || name === "close") {
        return typeof member === "function" ? member.bind(target) : member;
      }
      return (...args: unknown[]) => {
        const startMs = performance.now();
        const end = (outcome: "ok" | "error") => observe(name, outcome, (performance.now() - startMs) / 1000);
        try {
          const result: unknown = member.apply(target, args);
          if (result instanceof Promise) result.then(() => end("ok"), () => end("error"));
          else end("ok");
          return result;
        } catch (error) {
          end("error");
          throw error;
        }
      };
    },
  });
}

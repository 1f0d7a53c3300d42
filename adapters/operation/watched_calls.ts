/** Measures the calls of something outside of the process: a bucket, a store of sessions. */

/** Is told of a call that is over. */
export type ObserveCall = (call: string, outcome: "ok" | "error", seconds: number) => void;

/**
 * The same object, but each of its calls is measured. Calls that return no promise are, too; of a list, only
 * its start.
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

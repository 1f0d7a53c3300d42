/** Repositories of a home whose references are few enough to be told at once. */
import { memoize } from "../../../src/cache/memory.ts";
import type { Ref } from "../../../src/ports/storage.ts";
import type { HomeRepository } from "../../../src/storage/home/repository.ts";

/** A repository that answers without promises. */
export type RepositoryAtOnce = Omit<HomeRepository, "ref" | "refs"> & {
  ref(name: string): Ref | undefined;
  refs(prefix: string): Ref[];
};

/** The same repository, asked without any pause. */
export const atOnce = memoize((repository: HomeRepository): RepositoryAtOnce =>
  new Proxy(repository, {
    get(target, name) {
      if (name === "ref" || name === "refs") return target.refsNow[name];
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as unknown as RepositoryAtOnce
);

/** The repository in which views stand. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { NodeId, Project } from "../client/mod.ts";

/** A repository, as its views know it. */
export interface ShownRepository {
  readonly rid: string;
  readonly project: Project;
  /** The node in whose name the visitor writes; `undefined` without a session. */
  readonly me: NodeId | undefined;
  /** Asks for the repository again, after a change. */
  readonly reload: () => void;
}

/** Set by the view of a repository. */
export const RepositoryContext = createContext<ShownRepository | undefined>(undefined);

/** The repository around a view. */
export function useRepository(): ShownRepository {
  return useContext(RepositoryContext)!;
}

/** Homes of one file of tests, and the services on them. After the tests, the services end and the homes are removed. */
import { after } from "node:test";
import {
  removeFolder,
  type Runtime,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { type Below, type Client, signIn, type WrittenProject } from "./written_project.ts";

/** A home with a project, and the secret of its node. */
type ServedProject = Pick<WrittenProject, "rid" | "seed"> & {
  readonly rad: Pick<WrittenProject["rad"], "home">;
};

/** Options of a service. */
interface ServeOptions {
  /** `node` by default. */
  readonly runtime?: Runtime;
  /** Arguments of the command line. */
  readonly args?: readonly string[];
  /** Where changes are sent; `projects` by default. */
  readonly writes?: Below;
}

/** A folder for homes, and services on them. */
export interface ServedHomes {
  readonly folder: string;
  /** Stops a service after the tests, if it still runs. */
  stopAfter(service: Service): void;
  /** Starts a service on the home of a project, and signs in. */
  serve(project: ServedProject, options?: ServeOptions): Promise<{ service: Service; client: Client }>;
}

/** Creates a temporary folder for homes; to be called at the top of a file of tests. */
export function createServedHomes(name: string): ServedHomes {
  const folder = temporaryFolder(name);
  const running: Service[] = [];
  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    removeFolder(folder);
  });
  return {
    folder,
    stopAfter: (service) => void running.push(service),
    serve: async (project, { runtime = "node", args = [], writes } = {}) => {
      const service = await startService(runtime, project.rad.home, [...args]);
      running.push(service);
      return { service, client: await signIn(service.url, project, writes) };
    },
  };
}

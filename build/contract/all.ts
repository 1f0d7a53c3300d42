/** All routes of the contract, in the order in which the service registers them. */
import { archiveEndpoints } from "../../extensions/archives/contract.ts";
import { pageEndpoints } from "../../extensions/page/contract.ts";
import { extensionsWithRoutes } from "../../extensions/with_routes.ts";
import { rawEndpoints } from "../../src/contract/raw.ts";
import { commitEndpoints } from "../../src/contract/commits.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import {
  eventEndpoints,
  projectEventEndpoints,
  repoEventEndpoints,
} from "../../extensions/events/contract.ts";
import { gitEndpoints } from "../../extensions/git/contract.ts";
import { cloneEndpoints } from "../../extensions/replicas/contract.ts";
import { clones } from "../../extensions/replicas/replica/clones.ts";
import type { BucketReads } from "../../extensions/replicas/storage/reads.ts";
import type { BucketStorage } from "../../extensions/replicas/storage/storage.ts";
import type { ApiExtension } from "../../src/mod.ts";
import { issueEndpoints } from "../../src/contract/issues.ts";
import { nodeEndpoints, profileEndpoints } from "../../src/contract/node.ts";
import { rootEndpoints } from "../../src/contract/root.ts";
import { patchEndpoints } from "../../src/contract/patches.ts";
import { delegateEndpoints, projectEndpoints, remoteEndpoints } from "../../src/contract/projects.ts";
import { searchEndpoints } from "../../extensions/search/contract.ts";
import { keySessionEndpoints, walletSessionEndpoints } from "../../src/contract/sessions.ts";
import { bothEndpoints, todayEndpoints } from "../../src/contract/today.ts";
import type { RouteTraits } from "../../src/contract/traits.ts";
import { treeEndpoints } from "../../src/contract/tree.ts";
import { allRoutes } from "../../src/routes/table.ts";

/** Dialects of the interface: version 1, today's service, or both. */
export type Dialect = "v1" | "today" | "both";

/** Options of a service for wallets; their values do not matter for the contract. */
const ANY_WALLET = { addresses: [], domain: "" };

/** Routes of each extension by dialect, in the order in which services have the extensions. */
const EXTENSIONS = {
  events: (dialect) => [
    ...eventEndpoints,
    ...(dialect === "today" ? [] : projectEventEndpoints),
    ...(dialect === "v1" ? [] : repoEventEndpoints),
  ],
  search: (dialect) => dialect === "today" ? [] : searchEndpoints,
  archives: (dialect) => dialect === "v1" ? [] : archiveEndpoints,
  page: (dialect) => dialect === "today" ? [] : pageEndpoints,
  git: () => gitEndpoints,
  replicas: () => cloneEndpoints,
} satisfies Readonly<Record<string, (dialect: Dialect) => readonly Endpoint[]>>;

/** An extension with routes. */
export type ExtensionName = keyof typeof EXTENSIONS;
export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly ExtensionName[];

/** A route, with the traits that the document shows. */
export interface DescribedRoute extends Endpoint, Pick<RouteTraits, "hasTextErrors" | "isExpensive"> {}

/**
 * Routes of a service with all extensions, which depend on how clients sign in and on the dialects that it
 * serves.
 *
 * @param page Whether the page for browsers is one of the extensions.
 */
export function allEndpoints(
  signIn: "key" | "wallet",
  dialect: Dialect,
  page: boolean = false,
): readonly DescribedRoute[] {
  const names = EXTENSION_NAMES.filter((name) => name !== "replicas" && (page || name !== "page"));
  return endpointsWith(names, signIn, dialect);
}

/** Routes of a service with these extensions. */
export function endpointsWith(
  extensions: readonly ExtensionName[],
  signIn: "key" | "wallet",
  dialect: Dialect,
): readonly DescribedRoute[] {
  const today: readonly Endpoint[] = [...todayEndpoints, ...rawEndpoints];
  const ofDialect = {
    v1: () => v1Endpoints(signIn),
    today: () => today.filter(({ needsSession }) => needsSession !== true),
    both: () => [...today, ...v1Endpoints(signIn), ...bothEndpoints],
  }[dialect]();
  const added: readonly Endpoint[] = extensions.flatMap((name) => EXTENSIONS[name](dialect));
  // When two routes have the same path, the service uses the later one.
  const routes = new Map<string, Endpoint>();
  for (const endpoint of [...ofDialect, ...added]) {
    routes.set(`${endpoint.method} ${endpoint.path}`, endpoint);
  }
  const traits = new Map(
    allRoutes(
      { api: dialect, ...(signIn === "wallet" && { wallets: ANY_WALLET }) },
      [
        ...extensionsWithRoutes({ page: true }),
        ...(extensions.includes("replicas") ? [replicaClones()] : []),
      ],
    ).map(
      (
        [method, path, , traits],
      ) => [`${method} ${path}`, traits],
    ),
  );
  return [...routes].map(([key, endpoint]) => {
    const { hasTextErrors, isExpensive } = traits.get(key) ?? {};
    return { ...endpoint, ...(hasTextErrors && { hasTextErrors }), ...(isExpensive && { isExpensive }) };
  });
}

/** The extension that serves clones from a bucket. Only its routes matter for the contract. */
export function replicaClones(): ApiExtension {
  return clones({ storage: {} as BucketStorage, reads: {} as BucketReads });
}

/** Routes of version 1, in the order of the specification. */
function v1Endpoints(signIn: "key" | "wallet"): readonly Endpoint[] {
  return [
    ...rootEndpoints,
    ...projectEndpoints,
    ...commitEndpoints,
    ...treeEndpoints,
    ...remoteEndpoints,
    ...issueEndpoints,
    ...patchEndpoints,
    ...nodeEndpoints,
    ...delegateEndpoints,
    ...profileEndpoints,
    ...(signIn === "wallet" ? walletSessionEndpoints : keySessionEndpoints),
    ...rawEndpoints,
  ];
}

/** All routes of the contract, in the order in which the service has them. */
import { archiveEndpoints } from "../../extensions/archives/contract.ts";
import { archives } from "../../extensions/archives/mod.ts";
import { events } from "../../extensions/events/mod.ts";
import { git } from "../../extensions/git/mod.ts";
import { pageEndpoints } from "../../extensions/page/contract.ts";
import { page } from "../../extensions/page/mod.ts";
import { search } from "../../extensions/search/mod.ts";
import type { ApiExtension } from "../../src/ports/extension.ts";
import { rawEndpoints } from "../../src/contract/raw.ts";
import { commitEndpoints } from "../../src/contract/commits.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import {
  eventEndpoints,
  projectEventEndpoints,
  repoEventEndpoints,
} from "../../extensions/events/contract.ts";
import { gitEndpoints } from "../../extensions/git/contract.ts";
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

/** Dialects of the interface: that of version 1, that of today's service, or both. */
export type Dialect = "v1" | "today" | "both";

/** A route with those of its traits that the document tells. */
export interface DescribedRoute extends Endpoint, Pick<RouteTraits, "hasTextErrors" | "isExpensive"> {}

/**
 * Routes of a service, by the way in which clients sign in and the dialects that it serves.
 *
 * @param page Whether it has the page for browsers; never with today's dialect alone.
 */
export function allEndpoints(
  signIn: "key" | "wallet",
  dialect: Dialect,
  page: boolean = false,
): readonly DescribedRoute[] {
  const today: readonly Endpoint[] = [...todayEndpoints, ...rawEndpoints];
  const ofDialect = {
    v1: () => v1Endpoints(signIn),
    today: () => today.filter(({ needsSession }) => needsSession !== true),
    both: () => [...today, ...v1Endpoints(signIn), ...bothEndpoints],
  }[dialect]();
  const [hasV1, hasToday] = [dialect !== "today", dialect !== "v1"];
  const added: readonly Endpoint[] = [
    ...eventEndpoints,
    ...(hasV1 ? projectEventEndpoints : []),
    ...(hasToday ? repoEventEndpoints : []),
    ...(hasV1 ? searchEndpoints : []),
    ...(hasToday ? archiveEndpoints : []),
    ...(hasV1 && page ? pageEndpoints : []),
    ...gitEndpoints,
  ];
  // Where two have the same path, the service takes the later one.
  const routes = new Map<string, Endpoint>();
  for (const endpoint of [...ofDialect, ...added]) {
    routes.set(`${endpoint.method} ${endpoint.path}`, endpoint);
  }
  const traits = new Map(
    allRoutes({ api: dialect, signIn }, allExtensions(page)).map((
      [method, path, , traits],
    ) => [`${method} ${path}`, traits]),
  );
  return [...routes].map(([key, endpoint]) => {
    const { hasTextErrors, isExpensive } = traits.get(key) ?? {};
    return { ...endpoint, ...(hasTextErrors && { hasTextErrors }), ...(isExpensive && { isExpensive }) };
  });
}

/** The extensions that bring routes, as the command has them; they are not started. */
export function allExtensions(hasPage: boolean): readonly ApiExtension[] {
  return [events(), search({}), archives(), ...(hasPage ? [page()] : []), git({})];
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

/** What `radicle-httpd` 0.10.0 answers about objects, and what we do. */
import { startHttpd, startService } from "../../support/programs.ts";
import { nodeIdOf, withoutOwnAlias } from "../../support/own_alias.ts";
import { comparableCob } from "../httpd_cobs.ts";
import { type Desk, fillHome } from "./desk.ts";
import { firstDifference, statesByRad } from "./outcomes.ts";
import type { ObjectPlan } from "./plans.ts";

/** States of objects that lists are asked for. */
const STATES = { issues: ["open", "closed"], patches: ["open", "draft", "archived", "merged"] } as const;
/** Requests on their way to each service at a time. */
const PARALLEL = 8;

/** Has objects read by both services; the outcome is a line for each answer that differs. */
export async function compareAnswers(desk: Desk, plans: readonly ObjectPlan[]): Promise<string[]> {
  const { rad, objects } = fillHome(desk, plans);
  // The real service reads its objects from the rows alone.
  statesByRad(rad, desk.rid);
  const services = [
    await startService("node", rad.home, ["--evaluation", "0.10", "--answers", "objects"]),
    await startHttpd(rad.home),
  ] as const;
  try {
    const count = objects.length;
    const paths = [
      ...objects.map(({ plan, id }) => `/${plan.kind === "issue" ? "issues" : "patches"}/${id}`),
      ...Object.entries(STATES).flatMap(([kind, states]) =>
        states.map((state) => `/${kind}?state=${state}&perPage=${count}`)
      ),
    ];
    const nodeId = await nodeIdOf(services[0].url);
    const lines: string[] = [];
    const waiting = paths.values();
    const ask = async () => {
      for (const path of waiting) {
        const [ours, theirs] = await Promise.all(
          services.map(({ url }) => read(`${url}/api/v1/projects/${desk.rid}${path}`)),
        );
        const difference = firstDifference(withoutOwnAlias(ours, theirs, nodeId), theirs);
        if (difference !== undefined) lines.push(`${path}: ${difference}`);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, ask));
    return lines;
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url);
  const body: unknown = await response.json();
  return response.ok ? comparableCob(body) : response.status;
}

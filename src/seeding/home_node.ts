/** The node of a Radicle home: asked through its control socket while it runs, read from its databases either way. */
import { ApiError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Environment } from "../ports/environment.ts";
import type { FileSystem } from "../ports/file_system.ts";
import { DatabaseError, type NodeDatabase, type Statement } from "../ports/node_database.ts";
import { type AskNode, type NodeObstacle, NodeSocketError } from "../ports/node_socket.ts";
import type { FetchResult, NodeStatus, RadicleNode, SeedingPolicy } from "../ports/radicle_node.ts";
import { completeNodeConfig } from "../profile/complete_config.ts";
import { Announcer, type AnnouncerOptions } from "./announcer.ts";
import { createControl } from "./control.ts";
import { PatientDatabase, type PatientOptions } from "./patient_database.ts";
import { LIST_POLICIES, seedStatements, toPolicy, unseedStatements } from "./policy.ts";
import { countSeeds, readAliases, readInventory } from "./routing.ts";

/** What a node is reached through. Nothing of it is touched before it is needed. */
export interface HomeNodeOptions
  extends Pick<PatientOptions, "now" | "pause" | "memory">, Pick<AnnouncerOptions, "later"> {
  /** Absolute path of the Radicle home. */
  readonly home: string;
  readonly fileSystem: Pick<FileSystem, "stat">;
  readonly log: Environment["log"];
  readonly ask: AskNode;
  /** The database in a file. */
  readonly openDatabase: (path: string) => NodeDatabase;
}

/** The node of a home. */
export interface HomeNode extends RadicleNode {
  /** Sends the announcements that wait; resolves when the node has them, or does not answer soon. */
  close(): Promise<void>;
}

/** What a client is told of a fetch that did not come to the node. */
const NO_FETCH: Readonly<Record<NodeObstacle, string>> = {
  absent: "node is not running",
  denied: "node cannot be reached",
  silent: "node did not answer in time",
  broken: "node did not answer properly",
  refused: "node refused to fetch",
};

/** The node of a home. */
export function createHomeNode(options: HomeNodeOptions): HomeNode {
  const { home, log, openDatabase } = options;
  const patient = (name: string) => {
    const path = `${home}/node/${name}`;
    return new PatientDatabase({ ...options, path, database: openDatabase(path) });
  };
  const policyDatabase = patient("policies.db");
  const nodeDatabase = patient("node.db");
  const control = createControl(options.ask);
  const announcer = new Announcer({ ...options, send: announce });
  let asking: Promise<NodeStatus> | undefined;
  let told: string | undefined;

  return {
    // Asked once for all who want to know at the same time: anybody may ask, and the node starts a thread for each question.
    status: () => asking ??= askStatus().finally(() => asking = undefined),
    policies: () => whole(listPolicies()),
    seed: (rid, scope) => change(() => control.seed(rid, scope), seedStatements(rid, scope)),
    unseed: (rid) => change(() => control.unseed(rid), unseedStatements(rid)),
    async fetch(rid, from): Promise<FetchResult> {
      if (await isBlocked(rid)) {
        return { status: "failed", reason: `cannot fetch ${rid} as it is not seeded` };
      }
      let result: FetchResult | undefined;
      const obstacle = await hear(async () => void (result = await control.fetch(rid, from)));
      return result ?? { status: "failed", reason: NO_FETCH[obstacle === "heard" ? "broken" : obstacle] };
    },
    aliases: (nodes) => readAliases(policyDatabase, nodeDatabase, nodes),
    inventory: (node) => whole(readInventory(nodeDatabase, node)),
    seedCounts: (rids) => countSeeds(nodeDatabase, rids),
    announce: (rid) => announcer.announce(rid),
    close: () => announcer.flush(),
  };

  async function askStatus(): Promise<NodeStatus> {
    const status = await hear(() => control.status());
    if (status !== "heard" && status !== "refused") return { state: "stopped" };
    const config = await control.config().then(completeNodeConfig, () => undefined);
    return { state: "running", config };
  }

  async function listPolicies(): Promise<readonly SeedingPolicy[]> {
    const rows = await policyDatabase.read(LIST_POLICIES);
    return rows.map(toPolicy).filter((policy) => policy !== undefined);
  }

  /** Nodes of early 2024 never forget a fetch of a blocked repository: the next one from the same node would wait for it. */
  async function isBlocked(rid: RepoId): Promise<boolean> {
    const policies = await listPolicies().catch(() => []);
    return policies.some((one) => one.rid === rid && one.policy === "block");
  }

  /**
   * Tells the node of a change, or writes it to the database when it is stopped, as `rad` does. Choice: the node alone writes to `node.db`; what else
   * `rad` changes there the node does by itself when it starts.
   */
  async function change(tell: () => Promise<void>, statements: readonly Statement[]): Promise<void> {
    const obstacle = await hear(tell);
    if (obstacle === "heard") return;
    if (obstacle !== "absent") throw new ApiError("unavailable", `The ${NO_CHANGE[obstacle]}`);
    try {
      await policyDatabase.write(statements);
    } catch (error) {
      log("warn", "A policy cannot be written", error);
      throw new ApiError("unavailable", "The node is not running, and its policies cannot be written");
    }
  }

  async function announce(rid: RepoId): Promise<void> {
    await hear(() => control.announceRefs(rid));
  }

  /** Whether a call came through, and why not; one line in the log for as long as that stays the same, none for a node that is stopped. */
  async function hear(call: () => Promise<void>): Promise<"heard" | NodeObstacle> {
    try {
      await call();
      told = undefined;
      return "heard";
    } catch (error) {
      if (!(error instanceof NodeSocketError)) throw error;
      const { obstacle, message } = error;
      if (obstacle !== "absent" && message !== told) log("warn", "The node cannot be asked", error);
      told = message;
      return obstacle;
    }
  }
}

/** Why a policy could not be changed, for clients. */
const NO_CHANGE: Readonly<Record<Exclude<NodeObstacle, "absent">, string>> = {
  denied: "node cannot be reached",
  silent: "node did not answer in time",
  broken: "node did not answer properly",
  refused: "node refused to change the policy",
};

/** For answers that are all of a database. */
async function whole<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DatabaseError) {
      throw new ApiError("unavailable", "The node's database cannot be read");
    }
    throw error;
  }
}

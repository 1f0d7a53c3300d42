/**
 * The node of a Radicle home. A running node is queried through its control socket. The databases of the node
 * are read whether the node runs or not.
 */
import { UnavailableError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Environment } from "../ports/environment.ts";
import type { FileSystem } from "../ports/file_system.ts";
import { DatabaseError, type NodeDatabase, type Statement } from "../ports/node_database.ts";
import {
  type AskNode,
  type NodeObstacle,
  NodeSocketError,
  type SubscribeToNode,
} from "../ports/node_socket.ts";
import type { FetchResult, RadicleNode, SeedingPolicy } from "../ports/radicle_node.ts";
import { Announcer, type AnnouncerOptions } from "./announcer.ts";
import { createControl, STATUS_MS } from "./control.ts";
import { BusyRetryDatabase, type PatientOptions } from "./busy_retry_database.ts";
import { type AskedStatus, PromptStatus } from "./node_status.ts";
import { LIST_POLICIES, seedStatements, toPolicy, unseedStatements } from "./policy.ts";
import { countSeeds, readAgent, readAliases, readInventory, readKnownNodes } from "./routing.ts";
import { pauseFor, type StartTimer, startUnrefTimer } from "../async/timer.ts";

export interface HomeNodeOptions
  extends Pick<PatientOptions, "now" | "pause" | "memory">, Pick<AnnouncerOptions, "later"> {
  /** Absolute path of the Radicle home. */
  readonly home: string;
  readonly fileSystem: Pick<FileSystem, "stat">;
  readonly log: Environment["log"];
  readonly ask: AskNode;
  /** Subscribes to the events of the node. Without this function, events are not reported. */
  readonly subscribe?: SubscribeToNode;
  /** Timer for status requests in the background. By default, the timer does not keep the process alive. */
  readonly startTimer?: StartTimer;
  readonly openDatabase: (path: string) => NodeDatabase;
}

export interface HomeNode extends RadicleNode {
  /**
   * Ends status requests in the background and sends pending announcements. The promise resolves when the
   * node has received the announcements, or after a short timeout.
   */
  close(): Promise<void>;
}

/** Messages to clients when the node cannot be asked to fetch a repository. */
const NO_FETCH: Readonly<Record<NodeObstacle, string>> = {
  absent: "node is not running",
  denied: "node cannot be reached",
  silent: "node did not answer in time",
  broken: "node did not answer properly",
  refused: "node refused to fetch",
};

export function createHomeNode(options: HomeNodeOptions): HomeNode {
  const { home, log, openDatabase, now = Date.now } = options;
  const patient = (name: string) => {
    const path = `${home}/node/${name}`;
    return new BusyRetryDatabase({ ...options, path, database: openDatabase(path) });
  };
  const policyDatabase = patient("policies.db");
  const nodeDatabase = patient("node.db");
  const control = createControl(options.ask, options.subscribe);
  const announcer = new Announcer({ ...options, send: announce });
  const status = new PromptStatus(askStatus, options.startTimer);
  let lastMessage: string | undefined;

  return {
    status: () => status.get(),
    policies: () => whole(listPolicies()),
    seed: (rid, scope) => change(() => control.seed(rid, scope), seedStatements(rid, scope)),
    unseed: (rid) => change(() => control.unseed(rid), unseedStatements(rid)),
    async fetch(rid, from): Promise<FetchResult> {
      if (await isBlocked(rid)) {
        return { status: "failed", reason: `cannot fetch ${rid} as it is not seeded` };
      }
      let result: FetchResult | undefined;
      const obstacle = await reach(async () => void (result = await control.fetch(rid, from)));
      return result ?? { status: "failed", reason: NO_FETCH[obstacle === "reached" ? "broken" : obstacle] };
    },
    aliases: (nodes) => readAliases(policyDatabase, nodeDatabase, nodes),
    knownNodes: () => readKnownNodes(policyDatabase, nodeDatabase),
    agent: (node) => readAgent(nodeDatabase, node),
    inventory: (node) => whole(readInventory(nodeDatabase, node)),
    seedCounts: (rids) => countSeeds(nodeDatabase, rids),
    ...options.subscribe !== undefined && {
      watchChanges: reconnecting(async (listener, signal) => {
        await reach(() => control.watchChanges(listener, signal));
      }, options.startTimer),
    },
    announce: (rid) => announcer.announce(rid),
    close() {
      status.close();
      return announcer.flush();
    },
  };

  async function askStatus(): Promise<AskedStatus> {
    const startMs = now();
    const obstacle = await reach(() => control.status());
    if (obstacle !== "reached" && obstacle !== "refused") {
      return { status: { state: "stopped" }, isSilent: obstacle === "silent" };
    }
    let isSilent = false;
    // The result is limited to the valid range, because the system clock may have changed since `startMs`.
    const leftMs = Math.min(Math.max(startMs + STATUS_MS - now(), 1), STATUS_MS);
    const config = await control.config(leftMs).catch((error) => {
      isSilent = error instanceof NodeSocketError && error.obstacle === "silent";
      return undefined;
    });
    return { status: { state: "running", config }, isSilent };
  }

  async function listPolicies(): Promise<readonly SeedingPolicy[]> {
    const rows = await policyDatabase.read(LIST_POLICIES);
    return rows.map(toPolicy).filter((policy) => policy !== undefined);
  }

  /**
   * Checks whether a repository is blocked. Nodes of early 2024 never end the fetch of a blocked repository,
   * and all later fetches from the same peer would wait.
   */
  async function isBlocked(rid: RepoId): Promise<boolean> {
    const policies = await listPolicies().catch(() => []);
    return policies.some((one) => one.rid === rid && one.policy === "block");
  }

  /**
   * Sends a change to the node. If the node is stopped, writes the change to `policies.db`. Choice: `node.db`
   * is not changed, because the node makes the same changes when it starts.
   */
  async function change(send: () => Promise<void>, statements: readonly Statement[]): Promise<void> {
    const obstacle = await reach(send);
    if (obstacle === "reached") return;
    if (obstacle !== "absent") throw new UnavailableError(`The ${NO_CHANGE[obstacle]}`);
    try {
      await policyDatabase.write(statements);
    } catch (error) {
      log("warn", "Cannot write a policy", error);
      throw new UnavailableError("The node is not running, and its policies cannot be written");
    }
  }

  async function announce(rid: RepoId): Promise<void> {
    await reach(() => control.announceRefs(rid));
  }

  /**
   * Runs a call to the node. Returns "reached" on success, otherwise the reason of the failure. Logs a reason
   * only if it differs from the previous reason. Does not log that the node is stopped.
   */
  async function reach(call: () => Promise<void>): Promise<"reached" | NodeObstacle> {
    try {
      await call();
      lastMessage = undefined;
      return "reached";
    } catch (error) {
      if (!(error instanceof NodeSocketError)) throw error;
      const { obstacle, message } = error;
      if (obstacle !== "absent" && message !== lastMessage) log("warn", "Cannot reach the node", error);
      lastMessage = message;
      return obstacle;
    }
  }
}

/** Messages to clients when a policy cannot be changed. */
const NO_CHANGE: Readonly<Record<Exclude<NodeObstacle, "absent">, string>> = {
  denied: "node cannot be reached",
  silent: "node did not answer in time",
  broken: "node did not answer properly",
  refused: "node refused to change the policy",
};

/** Converts a database error to an `UnavailableError`, for responses that need the rows of the database. */
async function whole<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DatabaseError) {
      throw new UnavailableError("The node's database cannot be read");
    }
    throw error;
  }
}

type WatchChanges = Required<RadicleNode>["watchChanges"];

/** Delay between two attempts to reach a stopped node, in milliseconds. */
export const RETRY_MS = 500;

/**
 * Subscribes to the node whenever no subscription is open, until the signal is aborted.
 *
 * @param watchOnce Subscribes once, until the connection ends. Calls `onOpen` when the connection is open.
 */
export function reconnecting(
  watchOnce: WatchChanges,
  startTimer: StartTimer = startUnrefTimer,
): WatchChanges {
  return async (listener, signal) => {
    while (!signal.aborted) {
      let isOpen = false;
      const onOpen = () => {
        isOpen = true;
        listener.onOpen();
      };
      await watchOnce({ ...listener, onOpen }, signal).catch(() => {});
      // A running node may end a connection, for example because the reader is slow. Therefore the node
      // counts as stopped only when no connection could be opened.
      if (!isOpen && !signal.aborted) listener.onStopped();
      await pauseFor(RETRY_MS, signal, startTimer);
    }
  };
}

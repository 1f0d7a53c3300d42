/** The two real nodes of the recorded sequence of the node: of this home and of another, each on 127.0.0.1, the one connected to the other. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Running, startNode } from "../support/programs.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Time between two looks whether the nodes are connected. */
const LOOK_PAUSE_MS = 50;

/** Running nodes. */
export interface TwoNodes {
  /** Where the other node listens, `127.0.0.1:18776`. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts nodes of 0.10 on homes of 2024-02, and waits until they are connected. */
export async function startTwoNodes(here: string, there: string): Promise<TwoNodes> {
  const nodes: Running[] = [];
  const stop = async () => void await Promise.all(nodes.map((node) => node.stop()));
  try {
    nodes.push(await startWith(there, { listen: ["127.0.0.1:0"] }));
    const [address]: string[] = JSON.parse(await ask(there, "listenAddrs"));
    nodes.push(await startWith(here, { connect: [`${nodeIdOf(there)}@${address}`] }));
    const endMs = Date.now() + PATIENCE_MS;
    while (!(await ask(here, "sessions")).includes('"connected":')) {
      if (Date.now() > endMs) throw new Error("The nodes do not connect");
      await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS));
    }
    return { address: address!, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a node with another configuration than the file in its home, which it reads at its start alone. */
async function startWith(home: string, members: object): Promise<Running> {
  const path = join(home, "config.json");
  const file = readFileSync(path, "utf8");
  const { node: { policy, scope, ...node }, ...config } = JSON.parse(file);
  const limits = { ...node.limits, rate: { ...node.limits.rate, inbound: { fillRate: 1, capacity: 1000 } } };
  // What changed between the generations, and what the recording was made with.
  const changed = {
    relay: "auto",
    seedingPolicy: { default: policy, scope },
    peers: { type: "static" },
    limits,
  };
  const whole = { ...config, preferredSeeds: [], node: { ...node, ...changed, ...members } };
  writeFileSync(path, JSON.stringify(whole));
  try {
    return await startNode("0.10", home);
  } finally {
    writeFileSync(path, file);
  }
}

function nodeIdOf(home: string): string {
  return nodeIdOfPublicKey(readFileSync(join(home, "keys", "radicle.pub"), "utf8"));
}

/** What a node answers to a command. */
async function ask(home: string, command: string): Promise<string> {
  const socket = connect(join(home, "node", "control.sock"));
  await once(socket, "connect");
  socket.write(`${JSON.stringify({ command })}\n`);
  return await text(socket);
}

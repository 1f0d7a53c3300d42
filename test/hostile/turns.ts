/**
 * `node test/hostile/turns.ts [--runtime NAME]… [--only PART]… [--above MS]`: sends each request of the hostile
 * home alone, and prints the longest turn of the event loop for each, by processor time. Others wait that long.
 * `--requests SEED:FIRST:COUNT` holds so many conversations of hostile requests instead, one after the other.
 */
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import {
  removeFolder,
  ROOT,
  RUNTIMES,
  type Service,
  startWarmService,
  temporaryFolder,
} from "../support/programs.ts";
import { askAll } from "./asked.ts";
import { cachedHostileHome } from "./cached_home.ts";
import { type LongestTurns, MONITOR_SOCKET } from "./loop_monitor.ts";
import { makeIdleHome } from "./home.ts";
import { rest } from "./process_state.ts";
import { conversationOf } from "./requests/conversation.ts";
import { converse } from "./requests/exchange.ts";
import { quoted } from "./requests/findings.ts";
import { goodRequests, lookAround } from "./requests/good.ts";
import { requestPath } from "./target.ts";

/** Conversations before the measured ones: code is compiled when it first runs. */
const WARMING = 200;

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    only: { type: "string", multiple: true, default: [] },
    /** Shorter turns are not printed, in milliseconds. */
    above: { type: "string", default: "30" },
    requests: { type: "string" },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const above = Number(values.above);
const runtimes = RUNTIMES.filter((runtime) => values.runtime.includes(runtime));
const folder = temporaryFolder("turns");
try {
  const home = values.requests === undefined
    ? (await cachedHostileHome()).home
    : await makeIdleHome(join(folder, "home"));
  for (const runtime of runtimes) {
    const socket = join(folder, runtime);
    const command = join(ROOT, "test", "hostile", "monitored_command.ts");
    const service = await startWarmService(
      runtime,
      home,
      [],
      { [MONITOR_SOCKET]: socket },
      undefined,
      command,
    );
    print(`\n${runtime}\n     cpu       gc     late  request`);
    await rest(service);
    printTurns(await takeTurns(socket), "start");
    if (values.requests === undefined) await askRepositories(service, socket);
    else await holdConversations(service, socket, home, values.requests);
    await service.stop();
  }
} finally {
  removeFolder(folder);
}

/** Asks for each path of each hostile repository. */
async function askRepositories(service: Service, socket: string): Promise<void> {
  const { repositories } = await cachedHostileHome();
  for (const { name, rid, paths } of repositories) {
    if (values.only.length > 0 && !values.only.some((part) => name.includes(part))) continue;
    let most = { cpuMs: 0, gcMs: 0, lateMs: 0 };
    const all = paths.flatMap((path) => {
      const whole = requestPath(rid, path);
      return path.startsWith("//") ? [whole] : [whole, whole.replace("projects", "repos")];
    });
    for (const path of all) {
      const { statuses, bytes } = await askAll([service.url + path]);
      await rest(service);
      const turns = await takeTurns(socket);
      if (turns.cpuMs > most.cpuMs) most = turns;
      const label = `${name}: ${path.replace(rid, ":rid").slice(0, 60)} (${statuses}, ${bytes >> 10} KiB)`;
      if (turns.cpuMs > above) printTurns(turns, label);
    }
    printTurns(most, `${name}, the longest`);
  }
}

/** Holds conversations with a service that has answered some others, so that its code is compiled. */
async function holdConversations(
  service: Service,
  socket: string,
  home: string,
  which: string,
): Promise<void> {
  const [seed = 0, first = 0, count = 0] = which.split(":").map(Number);
  const good = goodRequests(await lookAround(home, service.url));
  const port = Number(new URL(service.url).port);
  for (let number = -WARMING; number < count; number++) {
    const conversation = conversationOf(seed, number < 0 ? number : first + number, good);
    await takeTurns(socket);
    await converse(port, conversation);
    const turns = await takeTurns(socket);
    if (number < 0 || turns.cpuMs <= above) continue;
    printTurns(turns, `${first + number}: ${quoted(conversation.pieces.join("")).slice(0, 200)}`);
  }
}

/** The longest turns since the last call. */
async function takeTurns(socket: string): Promise<LongestTurns> {
  return JSON.parse(await text(connect(socket)));
}

function printTurns({ cpuMs, gcMs, lateMs }: LongestTurns, label: string): void {
  const cells = [cpuMs, gcMs, lateMs].map((ms) => `${ms.toFixed(0)} ms`.padStart(8)).join(" ");
  print(`${cells}  ${label}`);
}

/**
 * `node test/hostile/turns.ts [--runtime NAME]… [--only PART]… [--above MS]`: sends each request of the hostile
 * home alone, and prints the longest turn of the event loop for each, by processor time. Others wait that long.
 */
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { removeFolder, ROOT, RUNTIMES, startService, temporaryFolder } from "../support/programs.ts";
import { askAll } from "./asked.ts";
import { cachedHostileHome } from "./cached_home.ts";
import { type LongestTurns, MONITOR_SOCKET } from "./loop_monitor.ts";
import { rest } from "./process_state.ts";
import { requestPath } from "./target.ts";

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    only: { type: "string", multiple: true, default: [] },
    /** Shorter turns are not printed, in milliseconds. */
    above: { type: "string", default: "30" },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const folder = temporaryFolder("turns");
try {
  const { home, repositories } = await cachedHostileHome();
  for (const runtime of RUNTIMES.filter((runtime) => values.runtime.includes(runtime))) {
    const socket = join(folder, runtime);
    const command = join(ROOT, "test", "hostile", "monitored_command.ts");
    const service = await startService(runtime, home, [], { [MONITOR_SOCKET]: socket }, undefined, command);
    print(`\n${runtime}\n     cpu       gc     late  request`);
    await rest(service);
    printTurns(await takeTurns(socket), "start");
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
        if (turns.cpuMs > Number(values.above)) printTurns(turns, label);
      }
      printTurns(most, `${name}, the longest`);
    }
    await service.stop();
  }
} finally {
  removeFolder(folder);
}

/** The longest turns since the last call. */
async function takeTurns(socket: string): Promise<LongestTurns> {
  return JSON.parse(await text(connect(socket)));
}

function printTurns({ cpuMs, gcMs, lateMs }: LongestTurns, label: string): void {
  const cells = [cpuMs, gcMs, lateMs].map((ms) => `${ms.toFixed(0)} ms`.padStart(8)).join(" ");
  print(`${cells}  ${label}`);
}

// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Schemathesis makes requests from the contract of a running service, all that it allows and much that it does
 * not, and compares the answers with it. By hand, many on two homes, and chains of them, by default 10,000 requests
 * in rounds with seeds of their own:
 *
 *     sh test/fast.sh node test/interop/contract_cases.ts [REQUESTS]
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { createHomeApi, fileSystem, openSigner } from "../../adapters/node/mod.ts";
import {
  programsFolder,
  removeFolder,
  ROOT,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

/** A module of Python that makes it several times as fast. */
const HOOKS = join(ROOT, "test/interop/remembered_patterns.py");
/** Cases of each operation and chain in a round by hand. */
const CASES_OF_ROUND = 30;

/** Options of a run of Schemathesis. */
export interface CaseOptions {
  readonly home: string;
  /** Cases for each operation and each chain. */
  readonly cases: number;
  /** Whether requests are also made of what others have answered. */
  readonly withLinks: boolean;
  readonly seed: number;
}

/** Result of a run. */
export interface CaseResult {
  readonly status: number | null;
  /** All that was told. */
  readonly output: string;
  /** Number of requests. */
  readonly count: number;
}

/** Runs Schemathesis against a service on a home, which is changed. */
export async function runCases({ home, cases, withLinks, seed }: CaseOptions): Promise<CaseResult> {
  const program = join(programsFolder(), "schemathesis/bin/schemathesis");
  if (!existsSync(program)) throw new Error("No Schemathesis: run sh test/interop/install.sh");
  const { profile, close } = await createHomeApi({ home });
  const { nodeId } = profile;
  await close();
  const service = await startService("node", home, ["--share", "0"]);
  try {
    const signer = await openSigner({ home, nodeId, fileSystem })();
    const token = await openAuthorized(service.url, signer);
    const child = spawn(program, [
      ...["--config-file", join(ROOT, "test/interop/schemathesis.toml"), "--no-color", "run"],
      `${service.url}/api/v1/openapi.json`,
      ...["--phases", withLinks ? "fuzzing,stateful" : "fuzzing"],
      ...["--max-examples", String(cases), "--seed", String(seed), "--no-shrink"],
      ...["--request-timeout", "20", "--warnings", "off", "--continue-on-failure"],
    ], {
      cwd: home,
      env: { ...process.env, XYLEM_TOKEN: token, SCHEMATHESIS_HOOKS: HOOKS },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => output += text);
    }
    const status = await new Promise<number | null>((resolve, reject) =>
      child.once("error", reject).once("close", resolve)
    );
    return { status, output, count: Number(/(\d+) generated/.exec(output)?.[1] ?? 0) };
  } finally {
    await service.stop();
  }
}

if (import.meta.main) {
  const homes = ["browse", "collab"];
  const wanted = Number(process.argv[2] ?? 10_000) / homes.length;
  const folder = temporaryFolder("contract-cases");
  let failed = 0;
  for (const name of homes) {
    const home = unpackHome(`${name}.tar.gz`, folder);
    let total = 0;
    for (let seed = 1; total < wanted; seed++) {
      const { status, output, count } = await runCases({
        home,
        cases: CASES_OF_ROUND,
        withLinks: true,
        seed,
      });
      total += count;
      console.log(status === 0 ? /.*Stateful[^]*?passed/.exec(output)?.[0] : output);
      console.log(`${name}: seed ${seed}, ${count} requests, ${total} so far, status ${status}`);
      if (status !== 0) failed++;
      if (count === 0) break;
    }
  }
  removeFolder(folder);
  process.exitCode = failed;
}

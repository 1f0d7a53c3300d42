/** Processes of git, whose output is made up here: their bounds and their ends. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HomeGitProgram } from "../../src/git_http/home_git_program.ts";
import { parseOid } from "../../src/ids/oid.ts";
import { parseRid } from "../../src/ids/rid.ts";
import type { ProgramCommand, ProgramEnd } from "../../src/ports/program.ts";

const REQUEST = {
  rid: parseRid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"),
  namespace: undefined,
  protocol: 2,
  hidden: ["refs/drafts"],
  input: undefined,
} as const;

/** Starts programs that write these texts and end with this status. */
function programs(texts: readonly string[], status = 0) {
  const commands: ProgramCommand[] = [];
  let killed = 0;
  return {
    commands,
    killed: () => killed,
    start(command: ProgramCommand) {
      commands.push(command);
      const left = [...texts];
      const end = Promise.withResolvers<ProgramEnd>();
      return Promise.resolve({
        output: new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull(controller) {
            const text = left.shift();
            if (text !== undefined) return controller.enqueue(new TextEncoder().encode(text));
            controller.close();
            end.resolve({ status, errors: "fatal: it failed" });
          },
        }, { highWaterMark: 0 }),
        ended: end.promise,
        kill() {
          killed++;
          end.resolve({ status: undefined, errors: "" });
        },
      });
    },
  };
}

/** Lets everything that is due happen. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("git on a home", () => {
  it("gets the folder, what it must hide, and an environment that says everything", async () => {
    const { start, commands } = programs(["refs"]);
    const git = new HomeGitProgram("/home/storage", start);
    assert.equal(await new Response(await git.uploadPack(REQUEST, {})).text(), "refs");
    const { program, args, environment } = commands[0]!;
    assert.equal(program, "git");
    assert.equal(args.at(-1), "/home/storage/z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    assert.ok(args.includes("transfer.hideRefs=^refs/drafts"));
    assert.ok(args.includes("uploadpack.allowTipSHA1InWant=false"));
    assert.equal(environment["GIT_PROTOCOL"], "version=2");
    assert.equal(environment["GIT_CONFIG_GLOBAL"], "/dev/null");
    assert.equal(git.running, 0);
  });

  it("is a fault when it says nothing and fails", async () => {
    const { start } = programs([], 128);
    const git = new HomeGitProgram("/home/storage", start);
    await assert.rejects(git.uploadPack(REQUEST, {}), /ended with 128: fatal: it failed/);
    assert.equal(git.running, 0);
  });

  it("ends with its client, before and after its first output", async () => {
    const { start, killed } = programs(["a", "b"]);
    const git = new HomeGitProgram("/home/storage", start);
    const client = new AbortController();
    await git.uploadPack(REQUEST, { signal: client.signal });
    client.abort();
    await settle();
    assert.deepEqual([killed(), git.running], [1, 0]);
    const output = await git.uploadPack(REQUEST, {});
    await output.cancel();
    await settle();
    assert.deepEqual([killed(), git.running], [2, 0]);
  });

  it("ends when its time is over, and when the service ends", async () => {
    const { start, killed } = programs(["a", "b"]);
    const limited = new HomeGitProgram("/home/storage", start, { maxMs: 1 });
    await limited.uploadPack(REQUEST, {});
    while (limited.running > 0) await settle();
    const git = new HomeGitProgram("/home/storage", start);
    await git.uploadPack(REQUEST, {});
    git.close();
    await settle();
    assert.deepEqual([killed(), git.running], [2, 0]);
  });

  it("gives the place of a client that takes too little to another one", async () => {
    const { start, killed } = programs(["a", "b"]);
    const git = new HomeGitProgram("/home/storage", start, { maxProcesses: 1, slowClientMs: 0 });
    const slow = (await git.uploadPack(REQUEST, {})).getReader();
    await slow.read();
    await settle();
    const quick = await git.uploadPack(REQUEST, {});
    assert.equal(killed(), 1);
    assert.equal(await new Response(quick).text(), "ab");
  });

  it("looks for objects no further than it has to", async () => {
    const [one, two, three] = ["1", "2", "3"].map((digit) => parseOid(digit.repeat(40)));
    const { start, killed } = programs([`${one}\n${two!.slice(0, 10)}`, `${two!.slice(10)}\n`, "x\n", "x\n"]);
    const git = new HomeGitProgram("/home/storage", start);
    assert.deepEqual(await git.unreachable(REQUEST.rid, [two!, one!], {}), []);
    assert.equal(killed(), 1);
    assert.deepEqual(await git.unreachable(REQUEST.rid, [one!, three!], {}), [three]);
    await settle();
    assert.equal(git.running, 0);
  });
});

/** Processes of git, whose output is made up here: their bounds and their ends. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HomeGitProgram } from "../../../extensions/git/home_git_program.ts";
import { parseOid } from "../../../src/ids/oid.ts";
import { parseRid } from "../../../src/ids/rid.ts";
import type { UploadPackOutput } from "../../../extensions/git/git_program.ts";
import type { ProgramCommand, ProgramEnd } from "../../../src/ports/program.ts";

const REQUEST = {
  rid: parseRid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji"),
  namespace: undefined,
  protocol: 2,
  isList: false,
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

/** The whole output as text. */
async function textOf(output: Promise<UploadPackOutput>): Promise<string> {
  const { start, rest } = await output;
  return new TextDecoder().decode(start) + (rest === undefined ? "" : await new Response(rest).text());
}

describe("git on a home", () => {
  it("gets the folder, what it must hide, and an environment that says everything", async () => {
    const { start, commands } = programs(["refs"]);
    const git = new HomeGitProgram("/home/storage", start);
    assert.equal(await textOf(git.uploadPack(REQUEST, {})), "refs");
    const { program, args, environment } = commands[0]!;
    assert.equal(program, "git");
    assert.equal(args.at(-1), "/home/storage/z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    assert.ok(args.includes("transfer.hideRefs=^refs/drafts"));
    assert.ok(args.includes("uploadpack.allowTipSHA1InWant=false"));
    assert.equal(environment["GIT_PROTOCOL"], "version=2");
    assert.equal(environment["GIT_CONFIG_GLOBAL"], "/dev/null");
    await settle();
    assert.equal(git.running, 0);
  });

  it("is not waited for by the clients of short outputs", async () => {
    const { start } = programs(["a", "b"]);
    const git = new HomeGitProgram("/home/storage", start);
    const { start: bytes, rest, failure } = await git.uploadPack(REQUEST, {});
    assert.deepEqual([new TextDecoder().decode(bytes), rest, failure], ["ab", undefined, undefined]);
    await settle();
    assert.equal(git.running, 0);
  });

  it("returns its message when it fails, and only that", async () => {
    const { start } = programs(["a"], 128);
    const git = new HomeGitProgram("/home/storage", start);
    const { start: bytes, rest, failure } = await git.uploadPack(REQUEST, {});
    assert.deepEqual([new TextDecoder().decode(bytes), rest], ["a", undefined]);
    assert.equal(failure, "fatal: it failed");
    await settle();
    assert.equal(git.running, 0);
  });

  it("ends with its client, before and after its first output", async () => {
    const { start, killed } = programs(["a", "b", "c"]);
    const git = new HomeGitProgram("/home/storage", start, { maxStartBytes: 1 });
    const client = new AbortController();
    await git.uploadPack(REQUEST, { signal: client.signal });
    client.abort();
    await settle();
    assert.deepEqual([killed(), git.running], [1, 0]);
    const { rest } = await git.uploadPack(REQUEST, {});
    await rest?.cancel();
    await settle();
    assert.deepEqual([killed(), git.running], [2, 0]);
  });

  it("ends when its time is over, and when the service ends", async () => {
    const { start, killed } = programs(["a", "b", "c"]);
    const limited = new HomeGitProgram("/home/storage", start, { maxMs: 1, maxStartBytes: 1 });
    const { rest } = await limited.uploadPack(REQUEST, {});
    while (limited.running > 0) await settle();
    await assert.rejects(new Response(rest).text());
    const git = new HomeGitProgram("/home/storage", start, { maxStartBytes: 1 });
    await git.uploadPack(REQUEST, {});
    git.close();
    await settle();
    assert.deepEqual([killed(), git.running], [2, 0]);
  });

  it("gives the place of a client that takes too little to one that waits, once it lags behind", async () => {
    const { start } = programs(["a", "b", "c"]);
    const limits = { maxProcesses: { packs: 1 }, maxStartBytes: 1, makeRoomMs: 1, lagMs: 20 };
    const git = new HomeGitProgram("/home/storage", start, limits);
    const { rest } = await git.uploadPack(REQUEST, {});
    const slow = rest!.getReader();
    await slow.read();
    assert.equal(await textOf(git.uploadPack(REQUEST, {})), "abc");
    await assert.rejects((async () => {
      while (!(await slow.read()).done);
    })());
  });

  it("lists references and makes small packs while others hold all places for packs", async () => {
    const large = ["a", "b", "c"];
    const { start } = programs(large);
    const limits = { maxProcesses: { references: 1, fetches: 1, packs: 1 }, maxStartBytes: 2 };
    const git = new HomeGitProgram("/home/storage", start, limits);
    await git.uploadPack(REQUEST, {});
    const waiting = git.uploadPack(REQUEST, {});
    large.length = 1;
    assert.equal(await textOf(git.uploadPack({ ...REQUEST, isList: true }, {})), "a");
    assert.equal(await textOf(git.uploadPack(REQUEST, {})), "a");
    assert.equal(git.running, 1);
    git.close();
    assert.equal(await textOf(waiting), "a");
  });

  it("takes a fetch for a large one that takes long", async () => {
    const { start } = programs(["a"]);
    const never = (command: ProgramCommand) =>
      start(command).then((program) => ({
        ...program,
        output: new ReadableStream<Uint8Array<ArrayBuffer>>(),
      }));
    const limits = { maxProcesses: { fetches: 1, packs: 1 }, smallFetchMs: 1 };
    const git = new HomeGitProgram("/home/storage", never, limits);
    const { start: bytes, rest } = await git.uploadPack(REQUEST, {});
    assert.deepEqual([bytes.length, rest === undefined, git.running], [0, false, 1]);
    git.close();
  });

  it("searches objects no further than needed", async () => {
    const [one, two, three] = ["1", "2", "3"].map((digit) => parseOid(digit.repeat(40)));
    const { start, killed } = programs([`${one}\n${two!.slice(0, 10)}`, `${two!.slice(10)}\n`, "x\n", "x\n"]);
    const git = new HomeGitProgram("/home/storage", start);
    assert.deepEqual(await git.unreachable(REQUEST.rid, [two!, one!], {}), []);
    assert.equal(killed(), 1);
    assert.deepEqual(await git.unreachable(REQUEST.rid, [one!, three!], {}), [three]);
    assert.deepEqual(await git.commitsBeyondRefs(REQUEST.rid, [one!, three!], [], {}), new Set([one]));
    await settle();
    assert.equal(git.running, 0);
  });

  it("reads all references only where the wanted ones do not lead to all commits", async () => {
    const [one, two, tip] = ["1", "2", "3"].map((digit) => parseOid(digit.repeat(40)));
    const texts = [`${one}\n`];
    const { start, commands } = programs(texts);
    const git = new HomeGitProgram("/home/storage", start);
    assert.deepEqual(await git.commitsBeyondRefs(REQUEST.rid, [one!, two!], [tip!], {}), new Set([one]));
    assert.deepEqual(commands.splice(0).map(({ args }) => args.includes("--all")), [false, true]);
    texts.length = 0;
    assert.deepEqual(await git.commitsBeyondRefs(REQUEST.rid, [one!, two!], [tip!], {}), new Set());
    assert.deepEqual(commands.map(({ input }) => new TextDecoder().decode(input)), [
      `${one}\n${two}\n^${tip}\n`,
    ]);
  });

  it("takes all commits for unknown ones when it cannot walk them", async () => {
    const one = parseOid("1".repeat(40));
    const git = new HomeGitProgram("/home/storage", programs([], 128).start);
    assert.deepEqual(await git.commitsBeyondRefs(REQUEST.rid, [one], [], {}), new Set([one]));
    assert.deepEqual(await git.unreachable(REQUEST.rid, [one], {}), [one]);
  });
});

/** The code samples of the documents, compiled under `strict` and run, with the packed package. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import {
  removeFolder,
  ROOT,
  type Runtime,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { freePort, makeFolder, run, RUNTIMES } from "./consumer.ts";

const documents = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)];
const samples = documents.filter((name) => name.endsWith(".md")).flatMap((name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, sample]) => sample!);
});
/** What a sample takes as given, before it: the signer of a home. */
const GIVEN = `import { parseNid } from "xylem-http";
import { fileSystem, openSigner } from "xylem-http/node";
const nodeId = parseNid(process.env["NID"] ?? "");
const signer = await openSigner({ home: process.env["RAD_HOME"] ?? "", nodeId, fileSystem })();
`;
const programOf = (sample: string) => (sample.includes("(signer)") ? GIVEN : "") + sample;

const [ofClient, embedding] = ["createClient(", "createHomeApi("].map((call) =>
  samples.filter((sample) => sample.includes(call))
);

/** Module resolutions of users. */
const RESOLUTIONS = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

const folder = temporaryFolder("samples");
const home = join(folder, "home");
let service: Service;
before(async () => {
  mkdirSync(home);
  await makeDemoHome(home);
  service = await startService("node", home);
});
after(async () => {
  await service.stop();
  removeFolder(folder);
});

/** Runs a program, which must end by itself. */
async function outputOf(runtime: Runtime, name: string, text: string): Promise<string> {
  const nodeId = (await (await fetch(`${service.url}/api/v1`)).json()).nid;
  const at = makeFolder(`samples_${name}_${runtime}`, {
    "package.json": `{ "type": "module" }`,
    "deno.json": `{ "nodeModulesDir": "manual" }`,
    "program.ts": text,
  });
  const args = { node: [], deno: ["run", "--allow-all"], bun: [] }[runtime];
  const env = { ...process.env, RAD_HOME: home, NID: nodeId };
  const { status, stdout, stderr } = await run(RUNTIMES[runtime], [...args, "program.ts"], { cwd: at, env });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

describe("the code samples of the documents", () => {
  for (const [name, options] of Object.entries(RESOLUTIONS)) {
    it(`are clean under strict: ${name}`, async () => {
      const texts = Object.fromEntries(samples.map((sample, i) => [`sample${i}.ts`, programOf(sample)]));
      const at = makeFolder(`samples_${name}`, {
        "package.json": `{ "type": "module" }`,
        ...texts,
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            target: "es2024",
            lib: ["es2024"],
            types: ["node"],
            ...options,
          },
          files: Object.keys(texts),
        }),
      });
      const compiler = realpathSync(join(ROOT, "node_modules/typescript/bin/tsc"));
      const { stdout, status } = await run(RUNTIMES.node, [compiler, "-p", at]);
      assert.deepEqual([stdout, status], ["", 0]);
    });
  }

  it("are of these kinds, all of them", () => {
    assert.deepEqual([samples.length, ofClient!.length, embedding!.length], [5, 3, 3]);
  });

  for (const runtime of ["node", "deno", "bun"] as const) {
    it(`of a client list projects and open an issue on ${runtime}`, async () => {
      const [project] = await (await fetch(`${service.url}/api/v1/projects`)).json();
      const sample = programOf(ofClient![0]!)
        .replace("http://127.0.0.1:8080", service.url)
        .replace(/rad:z\w+/, project.id)
        .replace("xylem-http/node", `xylem-http/${runtime}`);
      const said = await outputOf(runtime, "client", sample);
      assert.match(said, new RegExp(`${project.id} ${project.name}`));
      const list = await fetch(`${service.url}/api/v1/projects/${project.id}/issues?perPage=100`);
      const issues: { readonly title: string }[] = await list.json();
      assert.ok(issues.some(({ title }) => title === "Hello"));
    });

    it(`of live changes receive an issue on ${runtime}`, async () => {
      const [project] = await (await fetch(`${service.url}/api/v1/projects`)).json();
      const open = `
async function openIssue() {
  const writer = createClient("${service.url}");
  await writer.signIn(signer);
  const issue = { title: "Goodbye", description: "", labels: [], assignees: [], embeds: [] };
  await writer.post("/api/v1/projects/:project/issues", { project: "${project.id}" }, issue);
}
`;
      const sample = (GIVEN + ofClient!.at(-1)!)
        .replace("http://127.0.0.1:8080", service.url)
        .replace('console.log("listening")', "void openIssue()")
        .replace("xylem-http/node", `xylem-http/${runtime}`);
      const said = await outputOf(runtime, "changes", sample + open);
      assert.equal(said, `opened ${project.id} Goodbye open\n`);
    });

    it(`of a host's own instruments and shares work on ${runtime}`, async () => {
      const sample = embedding!.find((text) => text.includes("onRequest"))!
        .replace("/home/me/.radicle", home)
        .replace("[60, 10_000]", "[1, 10_000]")
        .replace("xylem-http/node", `xylem-http/${runtime}`);
      const asking = `
const listening = events.next().catch(() => {});
const [{ id: project }] = await client.get("/api/v1/projects");
const params = { project, sha: "HEAD" };
await client.get("/api/v1/projects/:project/tree/:sha/", params);
await client.get("/api/v1/projects/:project/tree/:sha/", params).catch(({ status }) => console.log(status));
await api.close();
process.exit();
`;
      const said = (await outputOf(runtime, "instruments", sample + asking)).replaceAll(/\d+ ms/g, "time");
      assert.deepEqual(said.trim().split("\n").sort(), [
        "429",
        "GET /api/v1/events 200 time",
        "GET /api/v1/projects 200 time",
        "GET /api/v1/projects/:project/tree/:sha/ 200 time",
        "GET /api/v1/projects/:project/tree/:sha/ 429 time",
        "listening",
      ]);
    });

    it(`of an embedded API serve it next to an app on ${runtime}`, async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const sample = embedding![0]!
        .replace("/home/me/.radicle", home)
        .replace("port: 8080", `port: ${new URL(url).port}`)
        .replace("xylem-http/node", `xylem-http/${runtime}`);
      const asking = `
const projects = await (await fetch("${url}/radicle/api/v1/projects")).json();
console.log(projects.length, await (await fetch("${url}/")).text());
await server.close();
process.exit();
`;
      assert.equal(await outputOf(runtime, "embedding", sample + asking), "3 My app\n");
    });
  }
});

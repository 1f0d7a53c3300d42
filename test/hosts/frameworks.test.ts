/** The API inside apps: the sample of the README on each runtime, and frameworks as docs/embed.md mounts it there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { makeDemoHome } from "../../adapters/cli/demo/home.ts";
import { removeFolder, ROOT, temporaryFolder } from "../support/programs.ts";
import { CONSUMER, freePort, HOME, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const embed = readFileSync(join(ROOT, "docs/embed.md"), "utf8");
const [, sample = ""] = /^## Embed it\n[\s\S]*?```ts\n([\s\S]*?)```/m.exec(readme) ?? [];

const folder = temporaryFolder("frameworks");
/** A home whose key signs in. */
const home = join(folder, "home");
before(async () => {
  mkdirSync(home);
  await makeDemoHome(home);
});
after(() => removeFolder(folder));

/** The code in the row of a framework. */
function codeOf(start: string): string[] {
  const line = embed.split("\n").find((line) => line.startsWith("|") && line.includes(start)) ?? "";
  return line.split("`").filter((_, i) => i % 2 === 1);
}

/** The first piece of that code which begins so. */
function pieceOf(start: string, beginning: string): string {
  const piece = codeOf(start).find((piece) => piece.startsWith(beginning));
  assert.ok(piece, `${start}: ${beginning}`);
  return piece;
}

/** The call that mounts the API in a framework. */
const mountOf = (start: string) => pieceOf(start, "app.all(");

/** The path and the text of the module that is a route of a framework. */
function routeOf(start: string): { readonly path: string; readonly text: string } {
  const [path = "", ...pieces] = codeOf(start);
  const get = pieceOf(start, "export const GET");
  const others = pieces.filter((piece) => /^[A-Z]+$/.test(piece)).map((name) => get.replace("GET", name));
  const options = pieces.filter((piece) => piece.startsWith("export const ") && piece !== get);
  const api = `import { createHomeApi } from "xylem-http/node";
const { api } = await createHomeApi({ home: ${JSON.stringify(home)}, basePath: "/radicle" });`;
  return { path, text: [api, get, ...others, ...options, ""].join(";\n") };
}

/**
 * A program that sends requests, with and without bodies, to the API and by the client, and prints the answers, which
 * a framework must leave as they are.
 */
const ask = () => `
import { createHomeApi, fileSystem, openSigner } from "xylem-http/node";
import { parseNid } from "xylem-http";
import { createClient } from "xylem-http/client";
const home = ${JSON.stringify(home)};
async function ask(base, send) {
  const client = createClient(base + "/radicle", { fetch: send });
  const [{ id, head }] = await client.get("/api/v1/projects");
  const json = { "content-type": "application/json" };
  const requests = [
    ["GET", "/projects"], ["HEAD", "/projects"], ["GET", "/nothing"], ["GET", "/projects/"], ["OPTIONS", "/projects"],
    ["PUT", "/sessions/none", { headers: json, body: JSON.stringify({ sig: "s", pk: "p" }) }],
    ["GET", "/projects/" + id + "/tree/" + head + "/"], ["GET", "/projects/" + id + "/tree/" + head],
    ["GET", "/projects/" + id + "/blob/" + head + "/a%2Fb%20%C3%A4"],
  ];
  for (const [method, path, init] of requests) {
    const request = new Request(base + "/radicle/api/v1" + path, { method, redirect: "manual", ...init });
    const response = await send(request);
    console.log(method, path, response.status, response.headers.get("content-type"), await response.text());
  }
  const { nid } = await client.get("/api/v1");
  const session = await client.signIn(await openSigner({ home, nodeId: parseNid(nid), fileSystem })());
  console.log(session.status);
  // A body of more than the smallest limit of a framework, read whole before it is refused: the home stays as it is.
  const issue = { title: 1, description: "A".repeat(2 ** 20), labels: [], assignees: [], embeds: [] };
  const refused = await client.post("/api/v1/projects/:project/issues", { project: id }, issue).catch(String);
  await client.signOut();
  console.log(refused, client.token);
}
const local = (answer) => ask("http://localhost", answer);
`;

/** Opens the API inside of the program. */
const OPEN =
  `const { api, close } = await createHomeApi({ home, basePath: "radicle", environment: { log() {} } });`;

const FRAMEWORKS: Record<string, { runtime: "node" | "bun"; program: string }> = {
  hono: {
    runtime: "node",
    program: `import { Hono } from "hono"; import { csrf } from "hono/csrf";
      const app = new Hono(); app.use(csrf()); ${
      mountOf("hono.dev")
    }; await local((request) => app.fetch(request));`,
  },
  h3: {
    runtime: "node",
    program: `import { H3 } from "h3"; const app = new H3(); ${
      mountOf("h3.dev")
    }; await local((request) => app.fetch(request));`,
  },
  express: {
    runtime: "node",
    program: `import express from "express"; import { toNodeHandler } from "srvx/node";
      const app = express(); ${mountOf("expressjs.com")}; app.use(express.json());
      const server = app.listen(0, "127.0.0.1"); await new Promise((resolve) => server.once("listening", resolve));
      await ask("http://127.0.0.1:" + server.address().port, fetch);
      server.closeAllConnections(); server.close();`,
  },
  elysia: {
    runtime: "bun",
    program: `import { Elysia } from "elysia"; const app = new Elysia(); ${
      mountOf("elysiajs.com")
    }; await local((request) => app.handle(request));`,
  },
  "a function": { runtime: "node", program: `await local((request) => api.fetch(request));` },
};

async function answersIn(name: string): Promise<string> {
  const { runtime, program } = FRAMEWORKS[name]!;
  const [, imports = "", rest = program] = /^((?:import .*?";\s*)*)([\s\S]*)$/.exec(program) ?? [];
  const text = `${imports}\n${
    ask().replace("xylem-http/node", `xylem-http/${runtime}`)
  }\n${OPEN}\n${rest}\nawait close();`;
  return await answersOf(`framework_${name.replace(" ", "_")}`, text, RUNTIMES[runtime]);
}

async function answersOf(folder: string, text: string, runtime: string = RUNTIMES.node): Promise<string> {
  return await mustRun(runtime, [join(makeFolder(folder, { "app.mjs": text }), "app.mjs")]);
}

/** An app that has to be built. */
interface BuiltApp {
  readonly files: Readonly<Record<string, string>>;
  readonly build: readonly string[];
  readonly start: (port: number) => readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const BUILT: Record<string, () => BuiltApp> = {
  "Next.js": () => {
    const { path, text } = routeOf("nextjs.org");
    const next = join(CONSUMER, "node_modules/next/dist/bin/next");
    const option = pieceOf("nextjs.org", "skipTrailingSlashRedirect");
    return {
      files: {
        // The modules are links to folders elsewhere.
        "next.config.js":
          `export default { ${option}, turbopack: { root: "/" }, outputFileTracingRoot: "/" };`,
        "app/layout.js": "export default function Layout({ children }) { return children; }",
        [path]: text,
      },
      build: [next, "build"],
      start: (port) => [next, "start", "--hostname", "127.0.0.1", "--port", `${port}`],
      variables: { NEXT_TELEMETRY_DISABLED: "1" },
    };
  },
  SvelteKit: () => {
    const { path, text } = routeOf("svelte.dev");
    return {
      files: {
        "vite.config.js": `import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
export default { plugins: [sveltekit({ adapter: adapter() })] };`,
        "src/app.html": "<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
        [join("src", path)]: text,
      },
      build: [join(CONSUMER, "node_modules/vite/bin/vite.js"), "build"],
      start: () => ["build/index.js"],
      variables: Object.fromEntries([/`(BODY_SIZE_LIMIT)=(\w+)`/.exec(embed)!.slice(1)]),
    };
  },
};

/** Builds an app, starts it, and sends it the requests. */
async function answersInBuilt(name: string): Promise<string> {
  const { files, build, start, variables } = BUILT[name]!();
  const folder = `framework_${name.replace(".", "_")}`;
  const cwd = makeFolder(folder, { "package.json": `{ "private": true, "type": "module" }`, ...files });
  const port = await freePort();
  const env = { ...process.env, HOST: "127.0.0.1", PORT: `${port}`, ...variables };
  await mustRun(RUNTIMES.node, build, { cwd, env });
  const child = spawn(RUNTIMES.node, start(port), { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let said = "";
    for await (const more of child.stdout.setEncoding("utf8")) {
      if (/Ready|Listening/.test(said += more)) break;
    }
    return await answersOf(folder, `${ask()}\nawait ask("http://127.0.0.1:${port}", fetch);`);
  } finally {
    child.kill("SIGKILL");
  }
}

describe("the sample of the README", () => {
  for (
    const [runtime, args] of Object.entries({
      node: [],
      deno: ["run", "--no-config", "--node-modules-dir=manual", "--allow-all"],
      bun: [],
    })
  ) {
    it(`serves on ${runtime}`, async () => {
      const text =
        sample.replace("xylem-http/node", `xylem-http/${runtime}`).replace("/home/me/.radicle", HOME)
          .replace(":8080", ":0") + "\nconsole.log(JSON.stringify(server.address));\n";
      const folder = makeFolder(`sample_${runtime}`, { "app.ts": text });
      const child = spawn(RUNTIMES[runtime as "node"], [...args, join(folder, "app.ts")], {
        cwd: CONSUMER,
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        let said = "";
        for await (const more of child.stdout.setEncoding("utf8")) {
          if ((said += more).includes("\n")) break;
        }
        const { port } = JSON.parse(said);
        const projects = await fetch(`http://127.0.0.1:${port}/radicle/api/v1/projects`);
        assert.equal(projects.status, 200);
        assert.ok(Array.isArray(await projects.json()));
        assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "My app");
      } finally {
        child.kill("SIGKILL");
      }
    });
  }
});

describe("frameworks", () => {
  const others = Object.keys(FRAMEWORKS).filter((name) => name !== "a function");
  for (const name of [...others, ...Object.keys(BUILT)]) {
    it(`${name} leaves requests and answers as they are`, async () => {
      const alone = await answersIn("a function");
      const inside = await (name in BUILT ? answersInBuilt(name) : answersIn(name));
      assert.match(alone, /^GET \S+ 200 application\/json/);
      assert.match(alone, /tree\/[0-9a-f]{40}\/ 200 /);
      assert.equal(inside, alone);
    });
  }
});

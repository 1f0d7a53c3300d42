/** The API inside apps: the sample of the README on each runtime, and frameworks as the README mounts it there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";
import { CONSUMER, HOME, makeFolder, mustRun, RUNTIMES } from "./consumer.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const [, sample = ""] = /^## Embed it\n[\s\S]*?```ts\n([\s\S]*?)```/m.exec(readme) ?? [];

/** The call in the README that mounts the API in a framework. */
function mountOf(start: string): string {
  const line = readme.split("\n").find((line) => line.startsWith("|") && line.includes(start)) ?? "";
  const mount = line.split("`").find((part) => part.startsWith("app.all("));
  assert.ok(mount, start);
  return mount;
}

/** Requests with and without bodies, and the answers that a framework must leave as they are. */
const ASK = `
const requests = [
  ["GET", "/radicle/api/v1/projects"], ["HEAD", "/radicle/api/v1/projects"], ["GET", "/radicle/api/v1/nothing"],
  ["POST", "/radicle/api/v1/sessions"], ["PUT", "/radicle/api/v1/sessions/none", JSON.stringify({ sig: "s", pk: "p" })],
  ["OPTIONS", "/radicle/api/v1/projects"],
];
async function ask(send) {
  for (const [method, path, body] of requests) {
    const headers = body ? { "content-type": "application/json" } : {};
    const response = await send(path, { method, headers, ...(body && { body }) });
    const text = await response.text();
    console.log(method, path, response.status, response.headers.get("content-type"), method === "POST" ? "" : text);
  }
}
const { api, close } = await createHomeApi({ home: ${
  JSON.stringify(HOME)
}, basePath: "radicle", environment: { log() {} } });
const local = (answer) => (path, init) => answer(new Request("http://localhost" + path, init));
`;

const FRAMEWORKS: Record<string, { runtime: "node" | "bun"; program: string }> = {
  hono: {
    runtime: "node",
    program: `import { Hono } from "hono"; const app = new Hono(); ${
      mountOf("hono.dev")
    }; await ask(local((request) => app.fetch(request)));`,
  },
  h3: {
    runtime: "node",
    program: `import { H3 } from "h3"; const app = new H3(); ${
      mountOf("h3.dev")
    }; await ask(local((request) => app.fetch(request)));`,
  },
  express: {
    runtime: "node",
    program: `import express from "express"; import { toNodeHandler } from "srvx/node";
      const app = express(); ${mountOf("expressjs.com")}; app.use(express.json());
      const server = app.listen(0, "127.0.0.1"); await new Promise((resolve) => server.once("listening", resolve));
      await ask((path, init) => fetch("http://127.0.0.1:" + server.address().port + path, init));
      server.closeAllConnections(); server.close();`,
  },
  elysia: {
    runtime: "bun",
    program: `import { Elysia } from "elysia"; const app = new Elysia(); ${
      mountOf("elysiajs.com")
    }; await ask(local((request) => app.handle(request)));`,
  },
  "a function": { runtime: "node", program: `await ask(local((request) => api.fetch(request)));` },
};

async function answersIn(name: string): Promise<string> {
  const { runtime, program } = FRAMEWORKS[name]!;
  const [, imports = "", rest = program] = /^((?:import .*?";\s*)*)([\s\S]*)$/.exec(program) ?? [];
  const text =
    `import { createHomeApi } from "xylem-http/${runtime}";\n${imports}\n${ASK}\n${rest}\nawait close();`;
  const folder = makeFolder(`framework_${name.replace(" ", "_")}`, { "app.mjs": text });
  return await mustRun(RUNTIMES[runtime], [join(folder, "app.mjs")]);
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
  for (const name of Object.keys(FRAMEWORKS).filter((name) => name !== "a function")) {
    it(`${name} leaves requests and answers as they are`, async () => {
      const [alone, inside] = await Promise.all([answersIn("a function"), answersIn(name)]);
      assert.match(alone, /^GET \S+ 200 application\/json/);
      assert.equal(inside, alone);
    });
  }
});

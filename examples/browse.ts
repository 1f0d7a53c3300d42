// Lists the projects of a service, with the titles of their open issues.
// Run: node_modules/.bin/node examples/browse.ts http://127.0.0.1:8080
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
// deno-lint-ignore-file no-console -- it prints for its user
import process from "node:process";
import { type Client, ClientError, createClient } from "../src/client/mod.ts";

/** Yields one line for each project, and one line for each of its open issues. */
export async function* browse(client: Client): AsyncGenerator<string> {
  for await (const { id, name, head } of client.items("/api/v1/projects")) {
    yield `${name} ${id} ${head.slice(0, 7)}`;
    for await (const issue of client.items("/api/v1/projects/:project/issues", { project: id })) {
      yield `  ${issue.title} (${issue.author.alias ?? issue.author.id})`;
    }
  }
}

if (import.meta.main) {
  try {
    for await (const line of browse(createClient(process.argv[2] ?? "http://127.0.0.1:8080"))) {
      console.log(line);
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    console.error(`${error.code}: ${error.message}`);
  }
}

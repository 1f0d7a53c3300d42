/** A program with an API of its own that asks for one path and comes to its end: `<home> <path>`. Prints status and length of the answer. */
import process from "node:process";
import { adapter } from "./this_runtime.ts";

const [home = "", path = ""] = process.argv.slice(2);
const { api } = await adapter.createHomeApi({ home });
const response = await api.fetch(new Request(`http://localhost${path}`), { transport: "unix" });
process.stdout.write(`${response.status} ${(await response.text()).length}\n`);

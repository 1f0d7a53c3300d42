/** The file that a worker executes: see `workOnHome`. */
import { workOnHome } from "../home_worker.ts";
import { fileSystem } from "./file_system.ts";
import { inflate } from "./inflate.ts";
import { loadLibgit2 } from "./libgit2.ts";

workOnHome({ fileSystem, inflate, loadLibgit2 });

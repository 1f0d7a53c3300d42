/** Refuses to be loaded on a release of Node.js that is too old. To be imported first. */
import { requireNode } from "./required_version.ts";

requireNode();

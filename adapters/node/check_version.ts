/** Throws on a release of Node.js that is too old. Has to be the first import. */
import { requireNode } from "./required_version.ts";

requireNode();

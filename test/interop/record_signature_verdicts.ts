/** Records what the Rust crates make of the crafted signatures: `node test/interop/record_signature_verdicts.ts`. */
import { writeFileSync } from "node:fs";
import { craftedSignatures } from "../support/crafted_signatures.ts";
import { judgeSignatures } from "./signature_judge.ts";

const crafted = craftedSignatures();
const verdicts = judgeSignatures(crafted);
const recorded = Object.fromEntries(crafted.map(({ name }, i) => [name, verdicts[i]]));
const path = new URL("../fixtures/signature-verdicts.json", import.meta.url);
writeFileSync(path, `${JSON.stringify(recorded, undefined, 1)}\n`);

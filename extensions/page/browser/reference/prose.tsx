/** Draws the texts of the OpenAPI document: sentences, and schemas as types in the notation of TypeScript. */
import type { JSX } from "preact";
import { hashOf } from "../places.ts";
import type { Schema } from "./document.ts";
import { typeParts } from "./type_text.ts";

/** Draws a sentence. Text between backticks is code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split(/`([^`]+)`/).map((part, i) => i % 2 === 1 ? <code key={i}>{part}</code> : part)}</>;
}

/** Draws a schema as a type, with links to the schemas that it names. */
export function Type({ schema }: { readonly schema: Schema }): JSX.Element {
  return (
    <>
      {typeParts(schema).map((part, i) =>
        typeof part === "string"
          ? part
          : <a key={i} href={hashOf(["reference", `schema-${part.name}`])}>{part.name}</a>
      )}
    </>
  );
}

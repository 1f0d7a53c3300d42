/** The readme of a folder. */
import type { JSX } from "preact";
import type { TreeEntry } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import { Failure, Waiting } from "./parts.tsx";

/** Names of readmes, the first one wins. */
const NAMES: readonly RegExp[] = [/^readme\.(?:md|markdown)$/i, /^readme(?:\.txt)?$/i, /^readme\./i];

/** The readme among the entries of a folder; nothing where there is none. */
export function Readme(
  { rid, revision, entries }: {
    readonly rid: string;
    readonly revision: string;
    readonly entries: readonly TreeEntry[];
  },
): JSX.Element | null {
  const files = entries.filter(({ kind }) => kind === "blob");
  const found = NAMES.map((name) => files.find((file) => name.test(file.name))).find(Boolean);
  return found === undefined
    ? null
    : <Found rid={rid} revision={revision} path={found.path} name={found.name} />;
}

function Found(
  { rid, revision, path, name }: {
    readonly rid: string;
    readonly revision: string;
    readonly path: string;
    readonly name: string;
  },
): JSX.Element {
  const { value, error, reload } = useAnswer(
    `blob ${rid} ${revision} ${path}`,
    (options) =>
      visitor.client.get(
        "/api/v1/projects/:project/blob/:sha/*path",
        { project: rid, sha: revision, path },
        options,
      ),
  );
  return (
    <section class="box readme" aria-labelledby="readme">
      <h2 id="readme">{name}</h2>
      {error !== undefined
        ? <Failure error={error} retry={reload} />
        : value === undefined
        ? <Waiting />
        : (
          <div class="inside">
            {value.binary
              ? <p class="note">The readme is no text.</p>
              : isMarkdown(name)
              ? <Markdown text={value.content} place={{ rid, revision, path }} />
              : <pre class="text">{value.content}</pre>}
          </div>
        )}
    </section>
  );
}

/** Whether a file is markdown, by its name. */
export function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown|mkd)$/i.test(name);
}

/** The readme of a folder. */
import type { JSX } from "preact";
import type { TreeEntry } from "../client/mod.ts";
import { useGet } from "./answers.ts";
import { Markdown } from "./markdown_view.tsx";
import { Loaded } from "./parts.tsx";
import { useRepository } from "./repository_context.ts";

/** Names of readmes, the first one wins. */
const NAMES: readonly RegExp[] = [/^readme\.(?:md|markdown)$/i, /^readme(?:\.txt)?$/i, /^readme\./i];

/** The readme among the entries of a folder; nothing where there is none. */
export function Readme(
  { revision, entries }: { readonly revision: string; readonly entries: readonly TreeEntry[] },
): JSX.Element | null {
  const files = entries.filter(({ kind }) => kind === "blob");
  const found = NAMES.map((name) => files.find((file) => name.test(file.name))).find(Boolean);
  return found === undefined ? null : <Found revision={revision} file={found} />;
}

function Found(
  { revision, file: { path, name } }: { readonly revision: string; readonly file: TreeEntry },
): JSX.Element {
  const { rid } = useRepository();
  const answer = useGet("/api/v1/projects/:project/blob/:sha/*path", { project: rid, sha: revision, path });
  return (
    <section class="box readme" aria-labelledby="readme">
      <h2 id="readme">{name}</h2>
      <Loaded answer={answer}>
        {({ binary, content }) => (
          <div class="inside">
            {binary
              ? <p class="note">The readme is no text.</p>
              : isMarkdown(name)
              ? <Markdown text={content} place={{ rid, revision, path }} />
              : <pre class="text">{content}</pre>}
          </div>
        )}
      </Loaded>
    </section>
  );
}

/** Whether a file is markdown, by its name. */
export function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown|mkd)$/i.test(name);
}

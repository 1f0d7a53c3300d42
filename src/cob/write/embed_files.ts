/**
 * Resolves the embeds in requests (such as pictures in a comment) to files of an entry (specification, 2.12).
 */
import * as v from "valibot";
import { ifReadable, InvalidError } from "../../errors.ts";
import { hashObject, isEntryName } from "../../git/encode.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { readDataUri } from "../../text/data_uri.ts";
import type { Embed } from "../entry/entry.ts";
import { OidText } from "../entry/fields.ts";

/**
 * Maximum number of embeds of one text. A request with more embeds is refused. Real texts have only a few
 * embeds.
 */
export const MAX_EMBEDS = 1024;

/** Maximum length of the name of an embed, in bytes. Git refuses longer names. */
export const MAX_EMBED_NAME_BYTES = 4096;

/** A file that is stored with the actions of an entry. */
export interface EmbedFile {
  readonly name: string;
  readonly oid: Oid;
  /** Content of the file; absent if the repository already has the blob. */
  readonly bytes?: Uint8Array;
}

export interface ResolvedEmbeds {
  /** The resolved embeds. The content of each embed is `git:<oid>`. */
  readonly embeds: readonly Embed[];
  /**
   * Files of the embeds. If several embeds have the same name, only the file of the last of these embeds is
   * included.
   */
  readonly files: readonly EmbedFile[];
}

const GIT = "git:";

/**
 * Resolves embeds. An embed is dropped unless its content is a data URI, or `git:<oid>` of a blob in the
 * repository.
 *
 * @throws {InvalidError} for more than {@link MAX_EMBEDS} embeds, and for a name that a file cannot have.
 */
export async function resolveEmbeds(
  repository: Repository,
  embeds: readonly Embed[],
  task: Task,
): Promise<ResolvedEmbeds> {
  if (embeds.length > MAX_EMBEDS) {
    throw new InvalidError(`A text can have ${MAX_EMBEDS} embeds at most`);
  }
  const resolved: EmbedFile[] = [];
  for (const { name, content } of embeds) {
    const file = await readData(content, task) ?? await findBlob(repository, content);
    if (file !== undefined) resolved.push({ name, ...file });
  }
  for (const { name } of resolved) {
    const bytes = new TextEncoder().encode(name);
    if (bytes.length > MAX_EMBED_NAME_BYTES) {
      throw new InvalidError(
        `The name of an embed can have ${MAX_EMBED_NAME_BYTES} bytes at most`,
      );
    }
    if (!isEntryName(bytes)) {
      throw new InvalidError(`No embed can have the name "${name}": expected a file name`);
    }
  }
  return {
    embeds: resolved.map(({ name, oid }) => ({ name, content: GIT + oid })),
    files: [...new Map(resolved.map((file) => [file.name, file])).values()],
  };
}

async function readData(uri: string, task: Task): Promise<Omit<EmbedFile, "name"> | undefined> {
  const bytes = await task.run(readDataUri(uri));
  return bytes && { oid: hashObject("blob", bytes), bytes };
}

async function findBlob(repository: Repository, uri: string): Promise<Omit<EmbedFile, "name"> | undefined> {
  const oid = v.safeParse(OidText, uri.startsWith(GIT) ? uri.slice(GIT.length) : undefined);
  if (!oid.success) return undefined;
  const header = await ifReadable(() => repository.header(oid.output));
  return header?.kind === "blob" ? { oid: oid.output } : undefined;
}

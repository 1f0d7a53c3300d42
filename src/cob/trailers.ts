/** Trailers of a commit message (git-interpret-trailers(1)): lines `Token: value` in its last paragraph. */

/** One trailer; the value of a folded one is a single line. */
export interface Trailer {
  readonly token: string;
  readonly value: string;
}

/** Lines that git itself writes and that let other lines stand between trailers. */
const GIT_GENERATED = /^(Signed-off-by: |\(cherry picked from commit )/;
const TRAILER = /^([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)$/;
const DIVIDER = /^---(\s|$)/m;

/**
 * The trailers of a message. They are the lines of its last paragraph, provided that this is not the title and that all of its lines are trailers, or
 * at least a quarter of them are and one is of a kind that git writes.
 */
export function parseTrailers(message: string): Trailer[] {
  const lines = lastParagraph(message);
  const trailers: { token: string; value: string }[] = [];
  let others = 0;
  for (const line of lines) {
    const [, token, value] = TRAILER.exec(line) ?? [];
    const last = trailers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) last.value = `${last.value} ${line.trim()}`.trim();
    else if (token !== undefined) trailers.push({ token, value: (value ?? "").trim() });
    else if (!GIT_GENERATED.test(line)) others++;
  }
  const isBlock = others === 0 ||
    lines.some((line) => GIT_GENERATED.test(line)) && 3 * trailers.length >= others;
  return isBlock ? trailers : [];
}

/** Lines of the last paragraph without comments; none when it is the first one. */
function lastParagraph(message: string): string[] {
  const divider = DIVIDER.exec(message)?.index ?? message.length;
  const lines = message.slice(0, divider).split("\n").filter((line) => !line.startsWith("#"));
  while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
  const blank = lines.findLastIndex((line) => line.trim() === "");
  const hasTitle = lines.slice(0, blank + 1).some((line) => line.trim() !== "");
  return hasTitle ? lines.slice(blank + 1) : [];
}

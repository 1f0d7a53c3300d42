/** Reads of recordings that a replica answers as the home does that was published. */
import { readLines, type RecordedRequest } from "./recordings.ts";

/** A home, and the recordings whose reads are sent to it and to a replica of it. */
export interface PublishedHome {
  /** Below `test/fixtures`. */
  readonly archive: string;
  readonly recordings: readonly string[];
}

/** Homes with public repositories of all kinds, of both generations. */
export const PUBLISHED_HOMES: readonly PublishedHome[] = [
  { archive: "browse.tar.gz", recordings: ["browse-general", "browse-random", "browse-errors"] },
  { archive: "collab.tar.gz", recordings: ["collab"] },
  { archive: "today/today-browse.tar.gz", recordings: ["today/v1-f-browse", "today/x-browse-general"] },
  { archive: "today/today-collab.tar.gz", recordings: ["today/v1-f-collab", "today/x-collab"] },
  { archive: "today/ten-collab.tar.gz", recordings: ["today/v1-f-ten"] },
];

/**
 * Reads of recordings, but those of searches, sessions and git, which a replica passes on, and `/info`, which
 * tells whether searches are answered.
 *
 * @param most Of a longer recording every n-th read, so that there are about so many.
 */
export function publishedReads({ recordings }: PublishedHome, most: number): RecordedRequest[] {
  return recordings.flatMap((name) => {
    const lines = readLines(name) as RecordedRequest[];
    const reads = lines.filter((line) =>
      line.method === "GET" &&
      !/\/search(?:\?|$)|\/sessions\/|\/info(?:\/refs|\?|$)|\/HEAD$/.test(line.path)
    );
    const step = Math.max(1, Math.floor(reads.length / most));
    return reads.filter((_, i) => i % step === 0);
  });
}

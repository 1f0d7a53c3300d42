/**
 * Times in sign-in messages (RFC 3339), and their form in wallet sessions: `2023-01-27 9:05:03.25 +00:00:00`.
 */

const RFC_3339 =
  /^(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))[Tt](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/;

/** A point in time and its displayed form. */
export interface Timestamp {
  /** Milliseconds since the epoch. */
  readonly ms: number;
  /**
   * In the offset in which it was written; the hour has no leading zero, the fraction at least one digit and
   * no trailing zeros.
   */
  readonly shown: string;
}

/**
 * Parses a time of RFC 3339 with at most nine fraction digits and without leap second; `undefined` for
 * anything else, 30 February included.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = RFC_3339.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date, hour, minute, second, fraction = "", sign = "+", offsetHour = "00", offsetMinute = "00" } =
    parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Some engines move 30 February into March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offsetSeconds = (sign === "-" ? -60 : 60) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const fractionMs = Number(fraction.padEnd(3, "0").slice(0, 3));
  const digits = fraction.replace(/0+$/, "") || "0";
  return {
    ms: midnight + (seconds - offsetSeconds) * 1000 + fractionMs,
    shown: `${date} ${Number(hour)}:${minute}:${second}.${digits} ${sign}${offsetHour}:${offsetMinute}:00`,
  };
}

/** Formats a time in UTC. */
export function showTime(ms: number): string {
  return parseTimestamp(new Date(ms).toISOString())!.shown;
}

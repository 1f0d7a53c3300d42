/**
 * Times in sign-in messages (RFC 3339), and their format in wallet sessions: `2023-01-27 9:05:03.25
 * +00:00:00`.
 */

const RFC_3339 =
  /^(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))[Tt](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/;

/** A time, and the text that is shown for it. */
export interface Timestamp {
  /** The time in milliseconds since the epoch. */
  readonly ms: number;
  /**
   * The time with the UTC offset that the message contains. The hour has no leading zero. The fraction has at
   * least one digit and no trailing zeros.
   */
  readonly shown: string;
}

/**
 * Parses a time of RFC 3339 with at most nine digits in the fraction and without a leap second. Returns
 * `undefined` for all other texts, and for days that do not exist.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = RFC_3339.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date, hour, minute, second, fraction = "", sign = "+", offsetHour = "00", offsetMinute = "00" } =
    parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Some engines parse 30 February as a day in March.
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

export function showTime(ms: number): string {
  return parseTimestamp(new Date(ms).toISOString())!.shown;
}

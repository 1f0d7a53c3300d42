/** Creates random text for session ids and nonces. */

export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Length of a session id, in characters (specification, 2.1). An id has 190 random bits. */
export const SESSION_ID_LENGTH = 32;

export function randomSessionId(): string {
  return randomText(ALPHANUMERIC, SESSION_ID_LENGTH);
}

/**
 * Returns a random text of `length` characters from the secure generator of the runtime. All characters of
 * the alphabet (at most 256) are equally likely.
 */
export function randomText(alphabet: string, length: number): string {
  // Larger bytes are discarded, because they would make the first characters of the alphabet more likely.
  const usable = 256 - 256 % alphabet.length;
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length - text.length))) {
      if (byte < usable) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

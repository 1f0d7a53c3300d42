/** Random text for session ids and nonces. */

/** The 62 letters and digits of ASCII. */
export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters of a session id (2.1): 190 random bits. */
export const SESSION_ID_LENGTH = 32;

export function randomSessionId(): string {
  return randomText(ALPHANUMERIC, SESSION_ID_LENGTH);
}

/**
 * Random text of `length` characters from the runtime's secure generator. All characters of the alphabet (at
 * most 256) are equally likely.
 */
export function randomText(alphabet: string, length: number): string {
  // Bytes beyond the last complete run of the alphabet are discarded, because they would make its first
  // characters more likely.
  const usable = 256 - 256 % alphabet.length;
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length - text.length))) {
      if (byte < usable) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

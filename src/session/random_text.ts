/** Random text for session ids and nonces. */

/** The 62 letters and digits of ASCII. */
export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters of a session id (2.1): 190 random bits. */
export const SESSION_ID_LENGTH = 32;

/** The id of a new session: letters and digits. */
export function randomSessionId(): string {
  return randomText(ALPHANUMERIC, SESSION_ID_LENGTH);
}

/**
 * Random text of `length` characters from the runtime's secure generator; each character of the alphabet (at
 * most 256) is equally likely.
 */
export function randomText(alphabet: string, length: number): string {
  // Bytes from the last, incomplete run of the alphabet are discarded: they would favour its first
  // characters.
  const usable = 256 - 256 % alphabet.length;
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length - text.length))) {
      if (byte < usable) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Comparison of secrets in constant time. */

/** Whether two texts are equal. The time depends only on the length of `guess`. */
export function isSameSecret(secret: string, guess: string): boolean {
  let difference = secret.length ^ guess.length;
  for (let i = 0; i < guess.length; i++) {
    difference |= guess.charCodeAt(i) ^ secret.charCodeAt(i % secret.length);
  }
  return difference === 0;
}

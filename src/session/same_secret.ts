/** Comparing secrets without telling by the time it takes how much of a guess was right. */

/** Whether two texts are equal. The time depends on the length of `guess` alone. */
export function isSameSecret(secret: string, guess: string): boolean {
  let difference = secret.length ^ guess.length;
  for (let i = 0; i < guess.length; i++) {
    difference |= guess.charCodeAt(i) ^ secret.charCodeAt(i % secret.length);
  }
  return difference === 0;
}

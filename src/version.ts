/** The version of this package; equal to that in package.json and deno.json (a test compares them). */
export const VERSION = "0.1.0";

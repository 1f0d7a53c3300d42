/** Normalizes the path below which an API is mounted. */

/**
 * Normalizes a base path to the format of paths in URLs: one slash in front, none at the end,
 * percent-encoded. The result is empty for the root.
 *
 * @throws {TypeError} for a path that contains `?`, `#`, a backslash, a control character, an empty or a
 * relative component, or percent escapes that are not UTF-8.
 */
export function normalizeBasePath(text: string): string {
  const path = text.replace(/^\/|\/+$/g, "");
  if (path === "") return "";
  const components = path.split("/").map((component) => {
    const name = decode(component, text);
    if (name === "" || name === "." || name === ".." || /[?#\\/\p{Cc}]/u.test(name)) throw refusal(text);
    return name.replace(/[ %]/g, encodeURIComponent);
  });
  // Other characters are escaped as in the URLs of requests.
  return new URL(`http://localhost/${components.join("/")}`).pathname;
}

function decode(component: string, text: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    throw refusal(text);
  }
}

function refusal(text: string): TypeError {
  return new TypeError(
    `Cannot mount the API at "${text}": expected a path such as "/radicle", without "?", "#", "\\" and empty, "." or ".." components`,
  );
}

/** The `Authorization` header field of write requests (5): `Bearer <session id>`. */
import { ApiError } from "../errors.ts";

const SCHEME = "Bearer";

/**
 * Reads the bearer token of a request. As on the real service, the scheme is case-sensitive and followed by
 * exactly one space. The rest of the value is the token, including further spaces. `Bearer` alone is
 * well-formed: its token is empty and matches no session.
 *
 * @throws {ApiError} `badRequest` when the field is missing, has another scheme, or contains characters
 *   outside ASCII.
 */
export function readBearer(request: Request): string {
  const value = request.headers.get("authorization");
  if (value === null) throw new ApiError("badRequest", "`Authorization` header is missing");
  if (!/^[\t\x20-\x7e]*$/.test(value)) {
    throw new ApiError("badRequest", "`Authorization` header contains invalid characters");
  }
  if (value === SCHEME) return "";
  if (!value.startsWith(`${SCHEME} `)) {
    throw new ApiError("badRequest", "`Authorization` header must be a bearer token");
  }
  return value.slice(SCHEME.length + 1);
}

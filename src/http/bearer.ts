/** The `Authorization` header of requests that change something (5): `Bearer <session id>`. */
import { ApiError } from "../errors.ts";

const SCHEME = "Bearer";

/**
 * The bearer token of a request; empty for a bare `Bearer`, which is well-formed and matches no session. Exactly one space parts scheme and token, and
 * the scheme is case-sensitive, as on the real service; what follows is the token, further spaces included.
 *
 * @throws {ApiError} `badRequest` when the header is missing, is of another scheme, or has characters outside ASCII.
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

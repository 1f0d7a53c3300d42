/** Header fields and values with which replicas and origins identify each other. */

/** Header field with a replica's claim about a client (`ClientClaims`). */
export const CLIENT_ADDRESS_FIELD = "xylem-client-address";

/** Name of a replica in the header field `Via`. */
export const REPLICA_NAME = "xylem-replica";

/** Header fields by which replicas and origins know each other. */

/** Header field of a replica's claim (`ClientClaims`). */
export const CLIENT_ADDRESS_FIELD = "xylem-client-address";

/** Name of a replica in `Via`. */
export const REPLICA_NAME = "xylem-replica";

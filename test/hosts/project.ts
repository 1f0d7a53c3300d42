/** What `run.ts` tells the tests. */

/** Names the folder of the project that uses the packed package. */
export const CONSUMER_VARIABLE = "XYLEM_HOSTS_FOLDER";

/** How `run.ts` hands the packed package to the tests of this folder. */

/** Names the folder of the project that uses the packed package. */
export const CONSUMER_VARIABLE = "XYLEM_HOSTS_FOLDER";

/**
 * All tables by name. Each module describes its own tables beside its store, and adds them to this by declaration merging,
 * so that nothing here knows who has tables. Times are epoch milliseconds, sizes are bytes and booleans are 0 or 1; every
 * number is a BIGINT.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it
export interface Tables {}

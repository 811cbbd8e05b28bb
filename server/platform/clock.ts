/** Returns epoch milliseconds. The clock is passed in, so that a test can move time. */
export type Clock = () => number;

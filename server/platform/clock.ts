/** Epoch milliseconds; handed in so that a test can move time. */
export type Clock = () => number;

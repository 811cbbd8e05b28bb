/** A terminal and service managers send these to the server and its children, in whatever order. */
export const END_SIGNALS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

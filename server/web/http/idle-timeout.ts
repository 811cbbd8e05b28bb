import type { Server } from 'bun';

/**
 * How long a connection through which nothing passes stays open. Bun also closes one whose body brings less
 * than 16 KiB for each of these seconds, as uWebSockets restarts the timeout only after so many bytes
 * (HTTP_RECEIVE_THROUGHPUT_BYTES). A phone on a bad line sends less.
 */
export const IDLE_TIMEOUT_SECONDS = 120;

/** Restarts the timeout of the connection of a request. */
export const restartIdleTimeout = (server: Server<unknown> | null, request: Request): void =>
  server?.timeout(request, IDLE_TIMEOUT_SECONDS);

import { Thread } from '../../thread.ts';
import type { Reply, Request } from './protocol.ts';

/** The steps of a writer cross as a text where they can; see messages.ts. */
export type DatabaseThread = Thread<Request | string, Reply | string>;

/** Threads whose database was closed. They cost 2 MiB each and wait for the next database. */
const idle: DatabaseThread[] = [];

/** Returns a thread that no database uses; starts one if there is none. */
export const acquireThread = (): DatabaseThread =>
  idle.pop() ?? new Thread('A database thread', 'server/platform/db/sqlite/thread');

/** Takes a thread back whose database is closed. */
export const releaseThread = (thread: DatabaseThread): void => void idle.push(thread);

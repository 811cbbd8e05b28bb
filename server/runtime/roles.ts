import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';

/**
 * What a process does: `web` answers requests and does all work except processing uploads, `media`
 * processes uploads, `all` does both.
 */
export const ROLES = ['all', 'web', 'media'] as const;
export type Role = (typeof ROLES)[number];

const MEDIA_JOBS = [
  ...['image', 'video', 'audio', 'picture'],
  ...['background-image', 'background-video', 'earlier-facts'],
];

/** Returns which kinds of jobs a process of this role runs. */
export function jobsOf(role: Role): (kind: string) => boolean {
  if (role === 'all') return () => true;
  return (kind) => MEDIA_JOBS.includes(kind) === (role === 'media');
}

/** Parses the role of a command line: `--role web` or `--role=web`. Throws OperatorError. */
export function roleOf(args: string[]): Role {
  const [name, text, ...more] = args.flatMap((argument) => argument.split('=', 2));
  if (name === undefined) return 'all';
  const role = ROLES.find((one) => one === text);
  if (name === '--role' && role && more.length === 0) return role;
  throw new OperatorError(`--role must be all, web or media. Got: ${args.join(' ')}`);
}

/**
 * Throws OperatorError for a role that needs several processes without PostgreSQL, as they could not
 * coordinate.
 */
export function checkRole(role: Role, { database }: Pick<Config, 'database'>): void {
  if (role === 'all' || database.kind === 'postgres') return;
  throw new OperatorError(
    `--role ${role} requires PostgreSQL. Set DATABASE_URL, or run a single process with SQLite.`,
  );
}

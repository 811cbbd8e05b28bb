import type { SqlBoolean } from '../db/port.ts';

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type JobRow = {
  id: string;
  kind: string;
  /** The id of what the job is about, such as a file or a bucket. */
  subject: string;
  /** Whose job it is, by which owners take turns; null for jobs without an owner. */
  owner: string | null;
  /** Jobs with the lowest turn run first. */
  turn: number;
  payload: string;
  state: JobState;
  attempts: number;
  /** How often the process that ran it has ended, which is no attempt. */
  interruptions: number;
  run_at: number;
  /** Whether `run_at` has passed, for a queued job; see `markDueJobs`. */
  ready: SqlBoolean;
  lease_token: string | null;
  lease_until: number | null;
  /** In per cent. */
  progress: number;
  error: string | null;
  created_at: number;
  /** When it was last taken from the line; null before. */
  started_at: number | null;
  finished_at: number | null;
};

declare module '../db/tables.ts' {
  /** The tables of the queue by name. */
  interface Tables {
    jobs: JobRow;
  }
}

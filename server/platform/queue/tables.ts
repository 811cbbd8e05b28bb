export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type JobRow = {
  id: string;
  kind: string;
  /** What it is about: a file id, a bucket id. */
  subject: string;
  /** For whom it is done; jobs of many owners take turns. */
  owner: string | null;
  /** The lowest is next. */
  turn: number;
  payload: string;
  state: JobState;
  attempts: number;
  run_at: number;
  lease_token: string | null;
  lease_until: number | null;
  /** Per cent. */
  progress: number;
  error: string | null;
  created_at: number;
  finished_at: number | null;
};

/** The tables of the queue, by their names. */
export type QueueTables = {
  jobs: JobRow;
};

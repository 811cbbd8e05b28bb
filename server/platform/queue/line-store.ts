import type { Executor } from '../db/port.ts';
import { READY, RUNNING } from './store.ts';

/** The most jobs of a kind that are read of each state, so that a long line costs no more than a short one. */
export const MAX_IN_LINE = 100;

/** The jobs of a kind. Times are epoch milliseconds. */
export type Line = {
  /** What the first jobs that are ready are about, in the order in which they will run. */
  waiting: string[];
  running: { started_at: number | null; progress: number }[];
  /** How long each of the last jobs took in milliseconds. */
  tookMs: number[];
};

/** Returns the jobs of a kind that wait, that run and that ended last. */
export async function findLine(db: Executor, kind: string): Promise<Line> {
  const [waiting, running, finished] = await Promise.all([
    db
      .selectFrom('jobs')
      .select('subject')
      .where(READY)
      .where('kind', '=', kind)
      .orderBy('turn')
      .orderBy('run_at')
      .orderBy('id')
      .limit(MAX_IN_LINE)
      .execute(),
    db
      .selectFrom('jobs')
      .select(['started_at', 'progress'])
      .where(RUNNING)
      .where('kind', '=', kind)
      .limit(MAX_IN_LINE)
      .execute(),
    db
      .selectFrom('jobs')
      .select(['kind', 'state', 'started_at', 'finished_at'])
      .where('finished_at', 'is not', null)
      .orderBy('finished_at', 'desc')
      .limit(MAX_IN_LINE)
      .execute(),
  ]);
  const tookMs = finished
    .filter((job) => job.kind === kind && job.state === 'done')
    .flatMap((job) =>
      job.started_at && job.finished_at ? [job.finished_at - job.started_at] : [],
    );
  return { waiting: waiting.map(({ subject }) => subject), running, tookMs };
}

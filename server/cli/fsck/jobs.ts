import type { CopySources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Uploaded bytes that wait for their job and are not there. */
export async function* checkJobs({ database, objects }: CopySources): AsyncGenerator<Finding> {
  const { db } = database;
  for await (const job of store.waitingMediaJobs(db)) {
    for (const key of sourcesOf(job.payload)) {
      if ((await objects.open(key)) || !(await store.isWaiting(db, job.id))) continue;
      const text = `missing, needed by the ${job.kind} job of the file ${job.subject}`;
      yield { kind: 'missing', subject: key, text };
    }
  }
}

type Payload = { source?: string; sources?: string[]; thumbnail?: string | null };

function sourcesOf(payload: string): string[] {
  const { source, sources = [], thumbnail } = JSON.parse(payload) as Payload;
  return [...sources, source, thumbnail].filter((key): key is string => Boolean(key));
}

import { expect, test } from 'bun:test';
import { describeOnSqlite } from '../../../tests/support/server/engines.ts';
import { SECOND } from '../../contract/limits.ts';
import { openMemoryEvents } from '../../platform/events/memory.ts';
import { FILE_EVENTS, type FileEventEnvelope } from './file-wire.ts';
import { type AttemptDependencies, ProcessingAttempt } from './processing-attempt.ts';
import { imageJob } from './processing-jobs.ts';

describeOnSqlite('an attempt', (openDatabase) => {
  test('publishes its progress at most once a second, and each per cent at most once', async () => {
    let now = 0;
    const published: number[] = [];
    const events = openMemoryEvents({ onError: (error) => expect(error).toBeNull() });
    events.subscribe(FILE_EVENTS, (payload) =>
      published.push((payload as FileEventEnvelope).event.progress),
    );
    const run: AttemptDependencies['media']['run'] = async (_job, { onProgress }) => {
      for (const [at, percent] of [
        [0, 0],
        [100, 40],
        [999, 50],
        [1000, 60.2],
        [5000, 60.9],
        [5001, 61],
      ] as const) {
        now = at;
        onProgress(percent);
      }
      return { objects: [] } as never;
    };
    const deps = { database: await openDatabase(), events, clock: () => now, media: { run } };
    const payload = { bucketId: 'b', userId: 'u', sourcePrefix: 'o/b/f/', keepSource: false };
    const image = { ...payload, source: 'o/b/f/a', baseName: 'a', webp: false };
    const attempt = { subject: 'f', payload: image, signal: new AbortController().signal };
    await new ProcessingAttempt(
      deps as never,
      { ...attempt, report: () => {} } as never,
      (prefix) => imageJob(image, prefix),
    ).run();
    expect(published).toEqual([0, 60, 61]);
    expect(now).toBeGreaterThan(5 * SECOND);
  });
});

import { expect, test } from 'bun:test';
import { DAY, GIB, MINUTE } from '../../contract/limits.ts';
import { type OperationsFacts, warningsOf } from './warnings.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SOUND: OperationsFacts = {
  checks: { database: 'ok', storage: 'ok', ffmpeg: 'ok', mail: 'ok', usage: 'ok' },
  confinement: { images: { noNetwork: true }, videos: { noNetwork: true } },
  storage: 'disk',
  database: { engine: 'sqlite', version: '3', bytes: 1 },
  failed: 0,
  clock: null,
  mail: null,
  disk: { free: 50 * GIB, total: 100 * GIB, reserve: GIB },
  deletions: { failing: 0, examples: [] },
  webhooks: [{ method: 'card', last: null, unannounced: null }],
  nextJobAt: NOW - MINUTE,
  backupAt: NOW - DAY,
};
const codes = (facts: Partial<OperationsFacts>) =>
  warningsOf({ ...SOUND, ...facts }, NOW).map(({ code }) => code);

test('a server that works has no warnings', () => {
  expect(codes({})).toEqual([]);
  expect(codes({ confinement: null, nextJobAt: null })).toEqual([]);
});

test('each thing that is wrong is a warning that says what to do', () => {
  const all = warningsOf(
    {
      ...SOUND,
      checks: {
        ...{ database: 'failing', storage: 'failing', ffmpeg: 'failing' },
        ...{ mail: 'failing', usage: 'failing' },
      },
      confinement: { images: { noNetwork: true }, videos: { noNetwork: false } },
      failed: 2,
      clock: 'The clock was set back by 3 hours.',
      mail: 'refused',
      disk: { free: 1, total: 100 * GIB, reserve: GIB },
      deletions: { failing: 1, examples: [] },
      webhooks: [{ method: 'card', last: null, unannounced: '2026-11-27T00:00:00Z' }],
      nextJobAt: NOW - 16 * MINUTE,
      backupAt: null,
    },
    NOW,
  );
  expect(all.map(({ code }) => code)).toEqual([
    ...(['database', 'storage', 'ffmpeg', 'mail', 'usage', 'clock', 'disk'] as const),
    ...([
      'confinement',
      'failed-jobs',
      'queue',
      'deletions',
      'payment-webhooks',
      'backup',
    ] as const),
  ]);
  for (const { problem, action } of all) {
    expect(problem).toMatch(/^[A-Z0-9].*[.d]$/s);
    expect(action).toMatch(/^[A-Z].*\.$/s);
  }
  expect(all.find(({ code }) => code === 'mail')?.problem).toContain('refused');
  expect(all.find(({ code }) => code === 'confinement')?.problem).toContain('noNetwork (videos)');
});

test('a disk is nearly full below a tenth, and full below its reserve', () => {
  const disk = (free: number) => codes({ disk: { free, total: 100 * GIB, reserve: GIB } });
  expect([disk(11 * GIB), disk(9 * GIB), disk(GIB / 2)]).toEqual([[], ['disk'], ['disk']]);
});

test('only what wharf backup can copy is expected to be backed up by it', () => {
  const old = NOW - 8 * DAY;
  expect(codes({ backupAt: old })).toEqual(['backup']);
  expect(codes({ backupAt: null, storage: 's3' })).toEqual([]);
  expect(
    codes({ backupAt: null, database: { engine: 'postgres', version: '17', bytes: 1 } }),
  ).toEqual([]);
});

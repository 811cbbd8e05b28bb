import { expect } from 'bun:test';
import { DAY, HOUR } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { BUCKET, USER } from './scene.ts';

type TrimmedTable = {
  table: string;
  /** The column that starts with 'old-' in the rows to delete, and with 'new-' in the others. */
  column: string;
  /** How many rows are to be deleted. A tenth as many stay. */
  rows: number;
  /** The ages of the rows to delete and of those that stay, in milliseconds. */
  ages: [old: number, recent: number];
  rowOf(at: number): Record<string, string | number | null>;
};

const [MANY, SOME] = [rounds(20_000, 2000), rounds(2000, 200)];

const TABLES: TrimmedTable[] = [
  {
    ...{ table: 'audit_log', column: 'action', rows: MANY, ages: [400 * DAY, 300 * DAY] },
    rowOf: (at) => ({
      ...{ id: newId(at), section: 'users', message: 'Logged in.', message_key: 'logged in.' },
      ...{ actor: 'user', actor_id: USER, subject_id: USER, details: '{}', created_at: at },
    }),
  },
  {
    ...{ table: 'jobs', column: 'subject', rows: MANY, ages: [8 * DAY, 6 * DAY] },
    rowOf: (at) => ({
      ...{ id: newId(at), kind: 'image', payload: '', state: 'done', attempts: 1 },
      ...{ run_at: at, created_at: at, finished_at: at },
    }),
  },
  {
    ...{ table: 'sessions', column: 'device', rows: SOME, ages: [2 * DAY, HOUR] },
    rowOf: (at) => ({ id: newId(at), user_id: USER, created_at: at - DAY, expires_at: at }),
  },
  {
    ...{ table: 'challenges', column: 'browser', rows: SOME, ages: [2 * DAY, HOUR] },
    rowOf: (at) => ({
      ...{ id: newId(at), purpose: 'login', email: 'a@example.com', email_key: 'a@example.com' },
      ...{ code_mac: '', code_expires_at: at, created_at: at, expires_at: at },
    }),
  },
  {
    ...{ table: 'known_browsers', column: 'browser', rows: SOME, ages: [200 * DAY, 100 * DAY] },
    rowOf: (at) => ({ user_id: USER, seen_at: at }),
  },
  {
    ...{ table: 'email_changes', column: 'undo_mac', rows: SOME, ages: [2 * DAY, HOUR] },
    rowOf: (at) => ({
      ...{ id: newId(at), user_id: USER, old_email: 'b@example.com', old_key: 'b@example.com' },
      ...{ created_at: at - DAY, expires_at: at },
    }),
  },
  {
    ...{ table: 'webhook_deliveries', column: 'body', rows: SOME, ages: [8 * DAY, 6 * DAY] },
    rowOf: (at) => ({
      ...{ id: newId(at), bucket_id: BUCKET, owner: USER, type: 'file.success', target_sealed: '' },
      ...{ state: 'delivered', step: 0, due_at: at, created_at: at, finished_at: at },
    }),
  },
];

/** Trims of the audit log, of finished jobs and deliveries, and of what has expired. */
export function trims(): Phase {
  let calls = 0;

  return {
    name: 'the deletion of old rows',

    leaveWork(scene) {
      calls += 1;
      for (const { table, column, rows, ages, rowOf } of TABLES) {
        const [old, recent] = ages.map((age) => Date.now() - age) as [number, number];
        const marked = (mark: string, at: number, count: number) =>
          Array.from({ length: count }, (_, n) => {
            return { ...rowOf(at - n), [column]: `${mark}-${calls}-${n}` };
          });
        scene.insert(table, [...marked('old', old, rows), ...marked('new', recent, rows / 10)]);
      }
    },

    countLeft: (scene) =>
      scene.count(`select ${TABLES.map((one) => `(${countOf(one, 'old')})`).join(' + ')}`),

    check(scene) {
      const kept = TABLES.map((one) => [one.table, scene.count(countOf(one, 'new'))]);
      expect(kept).toEqual(TABLES.map(({ table, rows }) => [table, (calls * rows) / 10]));
    },
  };
}

const countOf = ({ table, column }: TrimmedTable, mark: string) =>
  `select count(*) from ${table} where ${column} like '${mark}-%'`;

import { expect } from 'bun:test';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { OBJECT_BYTES, type Scene, USER } from './scene.ts';

/** In a folder. A job does 32 in a transaction or, of copies, one. */
const FILES = rounds(1500, 200);
type Action = 'move' | 'copy' | 'delete';

const NAMES = Array.from({ length: FILES }, (_, n) => `${n % 7}/${n}.txt`);
const [SOURCE, TARGET] = [NAMES.map((name) => `from/${name}`), NAMES.map((name) => `to/${name}`)];
/** Beside the folder, or newer than the job, so that it does nothing with them. */
const OTHERS = ['from', 'from-other/a.txt', 'other.txt'];
const NEWER = ['from/newer.txt'];

/** What is in the bucket at the end. */
const EXPECTED: Record<Action, string[]> = {
  move: [...OTHERS, ...NEWER, ...TARGET],
  copy: [...OTHERS, ...NEWER, ...SOURCE, ...TARGET],
  delete: [...OTHERS, ...NEWER],
};

/** The moves, copies or deletions of whole folders. */
export function folderJobs(action: Action, verb: string): Phase {
  /** One for each job, because a bucket has one at a time. */
  const buckets: string[] = [];
  const ours = () => `bucket_id in (${buckets.map((id) => `'${id}'`)})`;

  return {
    name: `the ${verb} of folders`,

    leaveWork(scene) {
      const bucket = newId(Date.now());
      buckets.push(bucket);
      scene.addBucket(bucket, USER);
      const startedAt = Date.now();
      scene.addPlainFiles(bucket, [...OTHERS, ...SOURCE], startedAt - 1);
      scene.addPlainFiles(bucket, NEWER, startedAt + 1);
      scene.insert('folder_jobs', [
        {
          ...{ id: newId(startedAt), bucket_id: bucket, user_id: USER, action, source: 'from/' },
          target: action === 'delete' ? null : 'to/',
          target_bucket_id: action === 'copy' ? bucket : null,
          ...{ actor: '"system"', status: 'running', position: 'from/', done: 0, conflicts: 0 },
          ...{ created_at: startedAt, ended_at: null },
        },
      ]);
    },

    countLeft: (scene) =>
      scene.count(
        `select coalesce(sum(${FILES} - done + 1), 0) from folder_jobs
          where ${ours()} and ended_at is null`,
      ),

    check(scene) {
      const jobs = scene.database
        .query(`select status, done, conflicts from folder_jobs where ${ours()}`)
        .all();
      const ended = { status: 'completed', done: FILES, conflicts: 0 };
      expect(jobs).toEqual(buckets.map(() => ended));
      for (const bucket of buckets) checkBucket(scene, bucket, EXPECTED[action].toSorted());
    },
  };
}

/** Throws where a bucket has other files, counts others, or has bytes of which another number of files has a share. */
function checkBucket(scene: Scene, bucket: string, paths: string[]): void {
  expect(scene.pathsOf(bucket)).toEqual(paths);
  const counted = scene.database
    .query('select total_uploads, usage from buckets where id = ?')
    .get(bucket);
  expect(counted).toEqual({
    total_uploads: paths.length,
    usage: paths.length * OBJECT_BYTES,
  });
  const shares = `select coalesce(sum(refs), 0) from blobs where bucket_id = '${bucket}'`;
  expect(scene.count(shares)).toBe(paths.length);
}

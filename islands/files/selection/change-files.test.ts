import { expect, test } from 'bun:test';
import { BULK_MAX_FILES } from '../../../server/contract/limits.ts';
import { changeFiles } from './change-files.ts';

test('more files than a call takes are changed by several, and failures are named', async () => {
  const files = Array.from({ length: 2 * BULK_MAX_FILES + 1 }, (_, at) => ({ id: String(at) }));
  const sizes: number[] = [];
  const failures = await changeFiles(files, async (ids) => {
    sizes.push(ids.length);
    const error = { code: 'not-found' as const, message: 'Gone.' };
    return { data: ids.map((id) => ({ id, error: id === '1500' ? error : null })) };
  });
  expect(sizes).toEqual([BULK_MAX_FILES, BULK_MAX_FILES, 1]);
  expect([...failures]).toEqual([['1500', { code: 'not-found', message: 'Gone.' }]]);
});

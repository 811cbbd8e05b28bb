import { expect, test } from 'bun:test';
import { type AppError, unauthorized, unavailable } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Tokens } from '../tokens/service.ts';
import { MissingFiles } from './missing-files.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const bucketId = newId(NOW);
const bucket = {
  ...{ id: bucketId, user_id: newId(NOW), status: 'running', has_source: 1, delivery_rules: null },
  ...{ banned_at: null, delivery_stopped_until: null, public_access: 'allowed' },
};
type Deps = ConstructorParameters<typeof MissingFiles>[0];

/** Returns what somebody is told who requests a private file that is still at its source, with a token. */
async function outcomeOf(verify: () => Promise<null>, more = {}): Promise<string | boolean> {
  const tokens = { getVerified: () => undefined, verify } as unknown as Tokens;
  const missing = new MissingFiles({
    rows: { findBucket: async () => ({ ...bucket, ...more }) } as unknown as Deps['rows'],
    ...{ siteHosts: new Set<string>(), tokens, clock: () => NOW },
    fetchMissing: async (_bucket, _path, { mayOpen }) => mayOpen('private'),
  });
  const reader = { check: () => {}, address: () => '192.0.2.1' };
  const url = `http://localhost/cdn/${bucketId}/~/a.txt?jwt=token`;
  try {
    return await missing.fetch(url, reader);
  } catch (error) {
    return (error as AppError).code;
  }
}

test('who may not open a file is told nothing, and nothing is fetched', async () => {
  expect(await outcomeOf(async () => null)).toBe(false);
  expect(await outcomeOf(() => Promise.reject(unauthorized()))).toBe(false);
});

test('a token that can’t be checked now is no refusal', async () => {
  const away = () => Promise.reject(unavailable('The database is not available.', 1000));
  expect(await outcomeOf(away)).toBe('unavailable');
});

test('a bucket that delivers nothing says why, as for files that are here', async () => {
  const until = { delivery_stopped_until: NOW + 1000 };
  expect(await outcomeOf(async () => null, until)).toBe('bandwidth-limit');
});

import { expect, test } from 'bun:test';
import type { Actor } from '../../platform/audit/record.ts';
import { ImportRefusedError, requireAuthorized } from './authorization.ts';

const bucket = { id: 'b', status: 'running', key_ids: 'named,other', key_version: 2 } as const;
const NAMED = { keyId: 'named' };
const PRIMARY = { keyId: 'b' };
const by = (actor: Actor, key_version: number | null = 2) => ({
  actor: JSON.stringify(actor),
  key_version,
});

test.each([
  ['the owner', { userId: 'u' }],
  ['the operator', 'system'],
  ['a key that is there', NAMED],
  ['the primary key', PRIMARY],
] as const)('an import of %s goes on while its bucket takes files, and no longer', (_, actor) => {
  expect(requireAuthorized(by(actor), bucket)).toBe(bucket);
  for (const status of ['suspended', 'banned', 'deleting'] as const) {
    expect(() => requireAuthorized(by(actor), { ...bucket, status })).toThrow(ImportRefusedError);
  }
  expect(() => requireAuthorized(by(actor), undefined)).toThrow(ImportRefusedError);
});

test('an import ends once its key is deleted or replaced, and with no other one', () => {
  const gone = 'The API key that started the import was deleted or replaced.';
  expect(() => requireAuthorized(by(NAMED), { ...bucket, key_ids: 'other' })).toThrow(gone);
  expect(() => requireAuthorized(by(NAMED), { ...bucket, key_ids: null })).toThrow(gone);
  expect(() => requireAuthorized(by(PRIMARY, 1), bucket)).toThrow(gone);
  expect(requireAuthorized(by(NAMED, 1), bucket)).toBe(bucket);
  expect(requireAuthorized(by({ userId: 'u' }, 1), { ...bucket, key_ids: null }).id).toBe('b');
  // An import from before this was stored.
  expect(requireAuthorized(by(PRIMARY, null), bucket)).toBe(bucket);
});

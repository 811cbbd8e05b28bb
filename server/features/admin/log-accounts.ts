import { formerAddresses } from '../../platform/audit/store.ts';
import type { Executor } from '../../platform/db/port.ts';
import { addressesOf, type ListedLog, ownersOf } from './lists-store.ts';

/** The addresses of those whom an entry is by and about; null where the account is deleted or there is none. */
export type LogAccounts = { by: string | null; about: string | null };

type Details = { owner?: unknown; bucket?: unknown };
const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
const present = (ids: (string | null | undefined)[]) => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
];

/**
 * Returns a function that names the accounts of an entry by their addresses at its time. An entry about a
 * bucket or a file is about its owner.
 */
export async function accountsOf(
  db: Executor,
  rows: ListedLog[],
): Promise<(row: ListedLog) => LogAccounts> {
  const details = new Map(rows.map((row) => [row.id, JSON.parse(row.details) as Details]));
  const bucketOf = (row: ListedLog) => textOf(details.get(row.id)?.bucket);
  const buckets = present(rows.map(bucketOf));
  const owners = new Map(
    buckets.length > 0 ? (await ownersOf(db, buckets)).map((row) => [row.id, row.user_id]) : [],
  );
  const ownerOf = (row: ListedLog) =>
    textOf(details.get(row.id)?.owner) ?? owners.get(bucketOf(row) ?? '') ?? null;

  const ids = present(rows.flatMap((row) => [row.actor_id, row.subject_id, ownerOf(row)]));
  const current = new Map(
    ids.length > 0 ? (await addressesOf(db, ids)).map(({ id, email }) => [id, email]) : [],
  );
  const former = current.size > 0 ? await formerAddresses(db, [...current.keys()]) : [];
  const addressAt = (id: string | null, at: number): string | null =>
    former.find((one) => one.user_id === id && one.until > at)?.email ??
    current.get(id ?? '') ??
    null;

  return (row) => ({
    by: addressAt(row.actor_id, row.created_at),
    about: addressAt(row.subject_id, row.created_at) ?? addressAt(ownerOf(row), row.created_at),
  });
}

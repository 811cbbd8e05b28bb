import type { Actor } from '../../platform/audit/record.ts';
import type { Tx } from '../../platform/db/port.ts';
import { noteAct } from './acts.ts';
import type { AccountContext } from './context.ts';
import { beingDeleted } from './failures.ts';
import * as profile from './profile-store.ts';
import * as store from './store.ts';

/**
 * From here on the account can do nothing; a job wipes it. Wake the queue and tell, once committed.
 * Throws conflict where that has begun.
 */
export async function beginDeletion(
  { clock, belongings, queue }: Pick<AccountContext, 'clock' | 'belongings' | 'queue'>,
  tx: Tx,
  userId: string,
  actor: Actor,
): Promise<void> {
  const now = clock();
  const user = await profile.holdUser(tx, userId);
  if (user?.status !== 'active' && user?.status !== 'banned') throw beingDeleted();
  await profile.setStatus(tx, userId, 'deleting');
  await store.revokeSessions(tx, userId, null, now);
  await belongings.stop(tx, userId);
  await queue.add(tx, { kind: 'delete-account', subject: userId, payload: {} });
  await noteAct(tx, now, 'deleted', userId, actor);
}

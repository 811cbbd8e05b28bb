import type { Actor } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { accountBeingDeleted } from '../errors.ts';
import * as sessionStore from '../sessions/session-store.ts';
import * as store from '../store.ts';

/**
 * Disables the account and adds the job that deletes its data. The caller wakes the queue and
 * publishes the end of the sessions after the commit. Throws conflict where the deletion has
 * started.
 */
export async function startAccountDeletion(
  { clock, ownedResources, queue }: Pick<AccountContext, 'clock' | 'ownedResources' | 'queue'>,
  tx: Tx,
  userId: string,
  actor: Actor,
): Promise<void> {
  const now = clock();
  const user = await store.lockUser(tx, userId);
  if (user?.status !== 'active' && user?.status !== 'banned') throw accountBeingDeleted();
  await store.setStatus(tx, userId, { status: 'deleting', banned_at: null });
  await sessionStore.revokeSessions(tx, userId, null, now);
  await ownedResources.stop(tx, userId);
  const { files } = await ownedResources.totals(userId, tx);
  const job = { kind: 'delete-account', subject: userId, owner: userId, payload: { files } };
  await queue.add(tx, job);
  await recordAudit(tx, now, 'deleted', userId, actor);
}

import type { Actor } from '../../platform/audit/record.ts';
import type { Tx } from '../../platform/db/port.ts';
import { noteAct } from './acts.ts';
import type { AccountContext } from './context.ts';
import * as profile from './profile-store.ts';
import * as store from './store.ts';

/** From here on the account can do nothing; a job wipes it. Wake the queue and tell, once committed. */
export async function beginDeletion(
  { clock, belongings, queue }: Pick<AccountContext, 'clock' | 'belongings' | 'queue'>,
  tx: Tx,
  userId: string,
  actor: Actor,
): Promise<void> {
  const now = clock();
  await profile.setStatus(tx, userId, 'deleting');
  await store.revokeSessions(tx, userId, null, now);
  await belongings.stop(tx, userId);
  await queue.add(tx, { kind: 'delete-account', subject: userId, payload: {} });
  await noteAct(tx, now, 'deleted', userId, actor);
}

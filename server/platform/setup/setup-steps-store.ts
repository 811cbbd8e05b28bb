import { inlineRead } from '../db/inline-read.ts';
import type { Executor, Tx } from '../db/port.ts';

/** Whether a step of an installation's setup is complete. */
export async function isSetupStepComplete(db: Executor, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('setup_steps')
    .select('name')
    .where('name', '=', name)
    .$call(inlineRead)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that a step is complete, at a time in epoch milliseconds. Returns false where it was already. */
export async function completeSetupStep(tx: Tx, name: string, now: number): Promise<boolean> {
  const inserted = await tx
    .insertInto('setup_steps')
    .values({ name, completed_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirstOrThrow();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) === 1n;
}

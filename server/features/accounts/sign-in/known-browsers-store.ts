import type { Executor } from '../../../platform/db/port.ts';

/** Stores that a user has logged in in a browser. */
export async function rememberBrowser(
  tx: Executor,
  userId: string,
  browser: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto('known_browsers')
    .values({ user_id: userId, browser, seen_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'browser']).doUpdateSet({ seen_at: now }),
    )
    .execute();
}

/** Whether the owner of an address has been logged in in a browser. */
export async function isKnownBrowser(
  db: Executor,
  emailKey: string,
  browser: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('known_browsers')
    .innerJoin('users', 'users.id', 'known_browsers.user_id')
    .select('users.id')
    .where('users.email_key', '=', emailKey)
    .where('known_browsers.browser', '=', browser)
    .executeTakeFirst();
  return row !== undefined;
}

import { type Kysely, sql } from 'kysely';

/** At most one challenge is open for an address, a purpose and a browser; of earlier ones the newest stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update challenges set closed_at = created_at where closed_at is null and exists (
      select 1 from challenges as newer
      where newer.email_key = challenges.email_key and newer.purpose = challenges.purpose
        and newer.browser = challenges.browser and newer.closed_at is null
        and newer.id > challenges.id
    )`.execute(db);
  await sql`
    create unique index challenges_open on challenges (email_key, purpose, browser)
    where closed_at is null`.execute(db);
}

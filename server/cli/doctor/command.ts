import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import packageJson from '../../../package.json' with { type: 'json' };
import { requireSessions } from '../../adapters/database.ts';
import { reachMail } from '../../adapters/external-services.ts';
import { openObjects, openObjectsForReading, reachObjects } from '../../adapters/objects.ts';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { findServerRefusal } from '../../config/data-dir-access.ts';
import { SECOND } from '../../contract/limits.ts';
import type { Database } from '../../platform/db/port.ts';
import { findMailFailure } from '../../platform/mail/mail-failure.ts';
import { parseSecrets } from '../../platform/secrets/secrets.ts';
import { storageHoldsFiles } from '../../runtime/storage-check.ts';
import { configuredSecret, opensRows } from '../admin/configured-secret.ts';
import { checkAddress, isServerRunning } from './address.ts';
import { checkClock } from './clock.ts';
import { checkEncryption } from './encryption.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';
import { checkDisk, checkFfmpeg, checkFileSystem } from './machine.ts';
import { checkProviders, checkWebhooks } from './payments.ts';
import { checkS3Request } from './s3-request.ts';
import { hasSearchIndexes, newestPublicImage } from './store.ts';

const RANGES_CHECK = 'ranges';

type Settings = ReturnType<typeof readConfig>;

/**
 * Checks everything that a server needs, and prints a line for each check. Returns 1 if there are
 * problems.
 */
export async function runDoctor(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { json: { type: 'boolean', default: false }, 's3-request': { type: 'string' } },
  });
  const { 's3-request': request } = values;
  const config = readConfig();
  let problems = 0;
  for await (const finding of request === undefined
    ? findings(config)
    : checkS3Request(config, request)) {
    if (!finding.ok) problems += 1;
    process.stdout.write(values.json ? `${JSON.stringify(finding)}\n` : lineOf(finding));
  }
  const sum = problems === 1 ? '1 problem' : `${problems} problems`;
  process.stderr.write(problems === 0 ? 'No problems found.\n' : `${sum}.\n`);
  return problems === 0 ? 0 : 1;
}

function lineOf({ name, ok, text, change }: Finding): string {
  const line = `${ok ? 'ok      ' : 'PROBLEM '} ${name.padEnd(10)} ${text}\n`;
  return change ? `${line}         ${''.padEnd(10)} ${change}\n` : line;
}

async function* findings(config: Settings): AsyncGenerator<Finding> {
  const { appUrl, host, port } = config;
  const isRunning = await isServerRunning(appUrl, host, port);
  const refusal = findServerRefusal(config);
  if (refusal) yield problem('access', refusal.text, refusal.remedy);
  yield* await checkDisk(config.dataDir, config.diskReserveBytes);
  if (config.database.kind === 'sqlite') yield* checkFileSystem(config.dataDir);
  yield checkFfmpeg(config.ffmpegPath);
  yield await checkStorage(config);
  yield* checkRows(config, isRunning);
  yield await checkMail(config);
  yield* checkProviders(config);
  yield* await checkEncryption(config);
  if (isRunning) return yield* await checkAddress(config, packageJson.version);
  yield problem(
    'server',
    `it is not running: nothing answers at ${appUrl} or on port ${port} of this machine`,
    'Start the server, then run this command again to check its address.',
  );
}

async function checkStorage({ storage, dataDir }: Settings): Promise<Finding> {
  const where = storage.home.kind === 'disk' ? dataDir : 'S3';
  // The check must not create a missing folder.
  if (storage.home.kind === 'disk' && !existsSync(storage.home.root)) {
    return problem('storage', `nothing is stored in ${dataDir} yet`, 'Start the server once.');
  }
  try {
    await reachObjects(storage);
    await (await openObjects(storage)).check();
    return fine('storage', `objects can be written to and read from ${where}`);
  } catch (error) {
    return problem(
      'storage',
      `${where}: ${reasonOf(error)}`,
      'Check STORAGE_URL, REGIONS and DATA_DIR.',
    );
  }
}

async function* checkRows(config: Settings, isRunning: boolean): AsyncGenerator<Finding> {
  let database: Database;
  try {
    await requireSessions(config);
    database = await openLiveDatabase(config);
  } catch (error) {
    yield problem('database', reasonOf(error), 'Check DATABASE_URL and DATA_DIR.');
    return;
  }
  try {
    await database.check();
    yield fine(
      'database',
      `${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} is reachable and up to date`,
    );
    yield* checkClock(database);
    yield* checkMails(database);
    yield* checkWebhooks(database, config);
    if (database.engine === 'postgres' && !(await hasSearchIndexes(database.db))) {
      yield problem(
        'search',
        'searches of the admin area read whole tables, because the extension pg_trgm was missing',
        'Install it and create the indexes: see "Use PostgreSQL" in docs/guide/scaling.md.',
      );
    }
    yield* checkMatch(database, config);
    if (isRunning) yield await checkRange(database, config.cdnUrl);
  } finally {
    await database.close();
  }
}

/**
 * Checks that the storage and the secret match the database, because each process has its own
 * settings.
 */
async function* checkMatch(database: Database, config: Settings): AsyncGenerator<Finding> {
  const objects = await openObjectsForReading(config.storage);
  // An error of the storage has been reported before.
  if (!(await storageHoldsFiles(database, objects).catch(() => true))) {
    yield problem(
      'storage',
      'none of the newest files in the database are in it',
      'Use the same STORAGE_URL, REGIONS and DATA_DIR as the other processes, and check that its disk is mounted.',
    );
  }
  // A secret that can't be read has been reported before.
  const secret = await configuredSecret(config).catch(() => null);
  if (secret !== null && !(await opensRows(database, secret))) {
    yield problem(
      'secret',
      'the data in the database was encrypted with another secret',
      'Use the same APP_SECRET as the other processes, or restore DATA_DIR/secret.',
    );
  } else if (secret !== null && parseSecrets(secret).length > 1) {
    yield fine('secret', 'the previous one is still valid: run wharf rotate-secret --finish');
  }
}

/** Reports mails that the server could not send, which the mail server may accept again by now. */
async function* checkMails({ db }: Database): AsyncGenerator<Finding> {
  const failure = await findMailFailure(db, Date.now());
  if (failure) {
    yield problem(
      'mail',
      `the server can't send emails: ${failure}`,
      'Fix the cause. Retry the emails that have failed in the admin area.',
    );
  }
}

async function checkMail({ mail }: Settings): Promise<Finding> {
  if (mail.kind === 'outbox') {
    return fine('mail', `emails are written to ${mail.folder}; set SMTP_URL to send them`);
  }
  try {
    await reachMail(mail.url);
    return fine('mail', 'the mail server accepts the connection');
  } catch (error) {
    return problem(
      'mail',
      `the mail server: ${reasonOf(error)}`,
      'Check the host, port, user and password in SMTP_URL.',
    );
  }
}

/** Checks that ranges of a delivered file can be requested, which players need to seek. */
async function checkRange({ db }: Database, cdnUrl: string): Promise<Finding> {
  const file = await newestPublicImage(db);
  if (!file) return fine(RANGES_CHECK, 'skipped: there is no public image yet');
  const url = `${cdnUrl}/${file.bucket_id}/${file.id}/${encodeURIComponent(file.entry ?? '')}`;
  const change =
    'Point CDN_URL at this server and pass the Range header through; no cache or proxy may answer a range request with the whole file.';
  try {
    const response = await fetch(url, {
      headers: { range: 'bytes=1-3' },
      signal: AbortSignal.timeout(10 * SECOND),
    });
    const { length } = new Uint8Array(await response.arrayBuffer());
    if (response.status === 206 && length === 3)
      return fine(RANGES_CHECK, `${cdnUrl} answers range requests`);
    return problem(
      RANGES_CHECK,
      `a request for 3 bytes to ${cdnUrl} is answered with ${response.status} and ${length}`,
      change,
    );
  } catch (error) {
    return problem(RANGES_CHECK, `${cdnUrl} does not answer: ${reasonOf(error)}`, change);
  }
}

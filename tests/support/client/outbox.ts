import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Far more than a mail needs, so that a busy machine makes no difference. */
const MAIL_TIMEOUT_MS = 500_000;

/**
 * Waits for a mail to `address` that is not older than `since` (epoch ms) in one of the outbox folders.
 * Returns the 6-digit code of the newest one. Throws if there is none in time.
 */
export async function readCode(
  outbox: string | string[],
  address: string,
  since = 0,
): Promise<number> {
  const deadline = Date.now() + MAIL_TIMEOUT_MS;
  for (;;) {
    const code = await newestCode(outbox, address, since);
    if (code !== null) return code;
    if (Date.now() > deadline) throw new Error(`No mail with a code for ${address} in ${outbox}.`);
    await sleep(50);
  }
}

async function newestCode(outbox: string | string[], address: string, since: number) {
  const folders = [outbox].flat();
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder).catch(() => [])).map((name) => ({ folder, name })),
    ),
  );
  const names = files.flat().filter(({ name }) => name.endsWith('.eml'));
  const mails = await Promise.all(
    names.map(async ({ folder, name }) => {
      const path = join(folder, name);
      return { text: await readFile(path, 'utf8'), time: timeOf(name) };
    }),
  );
  const [newest] = mails
    .filter(({ text, time }) => time >= since && isTo(text, address))
    .sort((a, b) => b.time - a.time);
  const code = newest && /\b[1-9]\d{5}\b/.exec(body(newest.text))?.[0];
  return code ? Number(code) : null;
}

/** Returns the time in a mail's file name. The file system's time is a few milliseconds late. */
const timeOf = (name: string) =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d\.\d{3}Z).*$/, '$1-$2-$3:$4:$5'));

const isTo = (mail: string, address: string) =>
  mail.split('\n').some((line) => /^to:/i.test(line) && line.includes(address));
const body = (mail: string) => mail.slice(mail.search(/\r?\n\r?\n/));

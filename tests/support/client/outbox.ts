import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE = 10_000;

/**
 * The 6-digit code of the newest mail to `address` in one of the outbox folders, once there is one that
 * is not older than `since` (epoch milliseconds). Throws after ten seconds without.
 */
export async function readCode(
  outbox: string | string[],
  address: string,
  since = 0,
): Promise<number> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const code = await newestCode(outbox, address, since);
    if (code !== null) return code;
    if (Date.now() > deadline) throw new Error(`No mail with a code for ${address} in ${outbox}.`);
    await sleep(50);
  }
}

async function newestCode(outbox: string | string[], address: string, since: number) {
  const folders = [outbox].flat();
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder).catch(() => [])).map((name) => ({ folder, name })),
    ),
  );
  const names = found.flat().filter(({ name }) => name.endsWith('.eml'));
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

/** By its name: what the file system says is some milliseconds behind the clock. */
const timeOf = (name: string) =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d\.\d{3}Z).*$/, '$1-$2-$3:$4:$5'));

const isTo = (mail: string, address: string) =>
  mail.split('\n').some((line) => /^to:/i.test(line) && line.includes(address));
const body = (mail: string) => mail.slice(mail.search(/\r?\n\r?\n/));

import { randomBytes } from 'node:crypto';
import { chmod, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { makeFolder, syncFolder } from '../durable-folders.ts';
import { composeMessage } from './message.ts';
import type { Mailer } from './port.ts';

const PARTIAL = '.partial';

/**
 * Writes each mail into a folder as an .eml file instead of sending it, for a server without SMTP. File
 * names sort by time. Mails contain codes, so only our own user can read them.
 * @param announce called with the path of each mail once it is durable
 */
export async function openOutboxMailer({
  folder,
  from,
  announce,
}: {
  folder: string;
  from: string;
  announce: (path: string) => void;
}): Promise<Mailer> {
  await makeFolder(folder);
  await chmod(folder, 0o700);
  for (const name of await readdir(folder)) {
    if (name.endsWith(PARTIAL)) await rm(join(folder, name), { force: true });
  }
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  return {
    async send(mail) {
      const { message } = await transport.sendMail(composeMessage(mail, from));
      const path = join(folder, nameFor(mail.to, new Date()));
      // An operator may have removed the folder with the mails in it.
      await makeFolder(folder);
      try {
        await writeSynced(path + PARTIAL, message);
        await rename(path + PARTIAL, path);
        await syncFolder(folder);
      } catch (error) {
        await rm(path + PARTIAL, { force: true });
        throw error;
      }
      announce(path);
    },
  };
}

/** Returns a name such as '20261121T010043.123Z-ada@example.com-5f0c9a.eml'. */
function nameFor(to: string, now: Date) {
  const time = now.toISOString().replace(/[-:]/g, '');
  const who = to.trim().replace(/[^A-Za-z0-9@.+_-]/g, '_');
  return `${time}-${who.slice(0, 100)}-${randomBytes(3).toString('hex')}.eml`;
}

async function writeSynced(path: string, content: Uint8Array | Readable) {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

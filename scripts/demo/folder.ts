import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Its presence tells a demo's folder from every other one. */
const MARKER = 'demo.json';

export type DemoFolder = {
  /** The DATA_DIR of the demo's server. */
  dataDir: string;
  email: string;
  password: string;
  /** Whether an earlier run has filled it. */
  isComplete: boolean;
  /** Remembers that it is filled. */
  complete: () => Promise<void>;
};

/**
 * Opens the folder of a demo, or creates it. What an interrupted run has left in it is deleted.
 * Throws without touching the folder if it contains anything that no demo has created.
 */
export async function openDemoFolder(folder: string): Promise<DemoFolder> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[];
    throw error;
  });
  if (names.length > 0 && !names.includes(MARKER)) {
    throw new Error(
      `${folder} is not the folder of a demo, so nothing in it was changed. Choose another one: npm run demo -- FOLDER`,
    );
  }
  const dataDir = join(folder, 'data');
  const marker = join(folder, MARKER);
  const save = async (content: { email: string; password: string; isComplete: boolean }) => {
    await writeFile(`${marker}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(`${marker}.new`, marker);
  };
  const account = names.includes(MARKER)
    ? (JSON.parse(await readFile(marker, 'utf8')) as Pick<
        DemoFolder,
        'email' | 'password' | 'isComplete'
      >)
    : { email: 'demo@example.com', password: newPassword(), isComplete: false };
  if (!account.isComplete) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    await rm(dataDir, { recursive: true, force: true });
    await save(account);
  }
  return { ...account, dataDir, complete: () => save({ ...account, isComplete: true }) };
}

/** The account is the server's admin, so its password is not the same on every machine. */
const newPassword = () => Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex');

import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './testing/clips.ts';
import { clearStaleFolders, findStaleFolders, makeWorkFolder } from './work-folder.ts';

const folder = scratch();
afterAll(folder.remove);

const stale = async (workDir: string) => {
  const paths: string[] = [];
  for await (const path of findStaleFolders(workDir)) paths.push(path);
  return paths;
};

/**
 * Starts another media process with a work folder in use until it is killed. Returns the path of the
 * folder.
 */
async function startOther(workDir: string) {
  const module = JSON.stringify(join(import.meta.dir, 'work-folder.ts'));
  const script = `
    const { makeWorkFolder } = await import(${module});
    const { path } = await makeWorkFolder(${JSON.stringify(workDir)});
    console.log(path);
    setInterval(() => {}, 1000);
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  return { child, path: new TextDecoder().decode(value).trim() };
}

test('a work folder is private, new each time, below one that is made where missing, and leaves nothing', async () => {
  const workDir = join(folder.path, 'a/b');
  const [one, two] = await Promise.all([makeWorkFolder(workDir), makeWorkFolder(workDir)]);
  expect(one.path).not.toBe(two.path);
  expect(statSync(one.path).mode & 0o777).toBe(0o700);
  expect(statSync(workDir).mode & 0o777).toBe(0o700);
  await Bun.write(join(one.path, 'out/x'), 'x');
  for (const { remove } of [one, two]) await remove();
  expect(readdirSync(workDir)).toEqual([]);
});

test('folders of killed processes are removed, whoever has their ids by now; those in use and other files stay', async () => {
  const workDir = join(folder.path, 'work');
  const own = await makeWorkFolder(workDir);
  const [living, killed] = [await startOther(workDir), await startOther(workDir)];
  await Bun.write(join(killed.path, 'out/x'), 'x');
  killed.child.kill('SIGKILL');
  await killed.child.exited;
  // Earlier versions named folders like this. The one with our process id belonged to an earlier process
  // with the same id.
  const earlier = [`job-${process.pid}-y`, `job-${process.ppid}-z`];
  for (const name of [...earlier, 'photos']) mkdirSync(join(workDir, name), { recursive: true });
  const leftovers = [killed.path, ...earlier.map((name) => join(workDir, name))];
  expect((await stale(workDir)).sort()).toEqual(leftovers.sort());

  await clearStaleFolders(workDir);
  expect(await stale(workDir)).toEqual([]);
  const names = [own.path, living.path].flatMap((path) => [path, `${path}.lock`]);
  expect(readdirSync(workDir).sort()).toEqual(
    [...names.map((path) => path.slice(workDir.length + 1)), 'photos'].sort(),
  );
  living.child.kill('SIGKILL');
  await living.child.exited;
  await own.remove();
  await clearStaleFolders(workDir);
  expect(readdirSync(workDir)).toEqual(['photos']);
});

test('while others clear, whoever makes folders has each of them to itself', async () => {
  const workDir = join(folder.path, 'busy');
  const pending = Promise.all(Array.from({ length: 50 }, () => makeWorkFolder(workDir)));
  for (let i = 0; i < 20; i += 1) await clearStaleFolders(workDir);
  const folders = await pending;
  await clearStaleFolders(workDir);
  for (const { path } of folders) expect(statSync(path).isDirectory()).toBe(true);
  for (const { remove } of folders) await remove();
  expect(readdirSync(workDir)).toEqual([]);
});

test('nothing to clear is not an error', async () => {
  await clearStaleFolders(join(folder.path, 'none'));
});

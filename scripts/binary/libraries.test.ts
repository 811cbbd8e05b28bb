import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Arch, stageLibraries } from './libraries.ts';

const INSTALLED = join(import.meta.dir, '../../node_modules/@img');
const HERE = process.arch as Arch;
const ELSEWHERE: Arch = HERE === 'x64' ? 'arm64' : 'x64';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wharf-libraries-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes a node_modules in which this machine's libraries have the names of those for `arch`. */
async function modulesNamed(arch: Arch): Promise<string> {
  const modules = join(folder, arch);
  for (const name of ['sharp-linux', 'sharp-libvips-linux']) {
    const from = join(INSTALLED, `${name}-${HERE}`);
    await cp(from, join(modules, '@img', `${name}-${arch}`), {
      recursive: true,
      dereference: true,
    });
  }
  return modules;
}

test('the libraries of this machine are taken, each with its hash', async () => {
  const staged = join(folder, 'staged');
  await stageLibraries(await modulesNamed(HERE), HERE, staged);
  const { files, addon } = await Bun.file(join(staged, 'libraries.json')).json();
  expect(files).toHaveLength(2);
  expect(addon).toStartWith(`sharp-linux-${HERE}/lib/sharp-linux-${HERE}-`);
});

test('a library of another machine is refused, whatever its folder is called', async () => {
  const modules = await modulesNamed(ELSEWHERE);
  await expect(stageLibraries(modules, ELSEWHERE, join(folder, 'refused'))).rejects.toThrow(
    `is not a library for ${ELSEWHERE}`,
  );
});

test('what is no library at all is refused too', async () => {
  const modules = await modulesNamed(HERE);
  const lib = join(modules, '@img', `sharp-linux-${HERE}`, 'lib');
  for (const name of await Array.fromAsync(new Bun.Glob('*.node').scan(lib))) {
    await Bun.write(join(lib, name), 'version https://git-lfs.github.com/spec/v1\n');
  }
  await expect(stageLibraries(modules, HERE, join(folder, 'refused'))).rejects.toThrow(
    `is not a library for ${HERE}`,
  );
});

import { beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import packageJson from '../../package.json';
import { builtProgram } from '../support/server/program.ts';

type Component = { name: string; group?: string; version: string; components?: Component[] };
const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name);
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

describe.skipIf(!builtProgram)('the bill of materials of the built file', () => {
  let text: string;
  let components: Component[];
  let names: string[];
  beforeAll(async () => {
    text = await Bun.file(`${builtProgram}.cdx.json`).text();
    ({ components } = JSON.parse(text));
    names = components.map(nameOf);
  });

  test('is valid by the schema of CycloneDX, which finds what is not', async () => {
    expect(await validator.validate(text)).toBeNull();
    const bom = JSON.parse(text);
    bom.components[0].type = 'a thing';
    expect(await validator.validate(JSON.stringify(bom))).not.toBeNull();
  });

  test('is of this very file', async () => {
    const { component } = JSON.parse(text).metadata;
    const hash = createHash('sha256').update(await Bun.file(builtProgram ?? '').bytes());
    expect(component).toMatchObject({
      name: 'wharf',
      version: packageJson.version,
      hashes: [{ alg: 'SHA-256', content: hash.digest('hex') }],
    });
  });

  test('lists what is inside: packages, Bun, fonts, and the libraries in libvips', () => {
    for (const name of ['elysia', 'react', 'pg', 'hls.js', 'tailwindcss', '@sinclair/typebox']) {
      expect(names).toContain(name);
    }
    const versions = new Map(components.map((one) => [nameOf(one), one.version]));
    expect(versions.get('bun')).toBe(Bun.version);
    expect(versions.get('sharp')).toBe(packageJson.dependencies.sharp);
    expect(names.filter((name) => name.startsWith('@img/')).sort()).toEqual([
      '@img/colour',
      `@img/sharp-libvips-linux-${process.arch}`,
      `@img/sharp-linux-${process.arch}`,
    ]);
    const libvips = components.find(({ name }) => name.startsWith('sharp-libvips'));
    const inner = libvips?.components?.map(({ name }) => name);
    expect(inner).toEqual(expect.arrayContaining(['aom', 'heif', 'vips', 'webp']));
  });

  test('lists neither what builds and tests it, nor anything twice', () => {
    const others = [
      ...Object.keys(packageJson.devDependencies),
      '@tailwindcss/cli',
      'lightningcss',
    ];
    expect(names.filter((name) => others.includes(name))).toEqual([]);
    const titles = components.map((one) => `${nameOf(one)} ${one.version}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('names the packages whose licences lie beside the file, and no others', async () => {
    const licenses = await Bun.file(`${builtProgram}-licenses.txt`).text();
    const parts = licenses.split(`\n${'-'.repeat(80)}\n\n`);
    const titles = components.map((one) => `${nameOf(one)} ${one.version}`);
    expect(parts.map((part) => part.split('\n')[0] ?? '').sort()).toEqual(titles.sort());
  });

  test('says which needs which', () => {
    const { dependencies } = JSON.parse(text);
    const needs = (start: string) =>
      dependencies.find(({ ref }: { ref: string }) => ref.startsWith(start))?.dependsOn ?? [];
    expect(needs('wharf@')).toHaveLength(components.length);
    expect(needs('pkg:npm/react-dom@').join()).toContain('pkg:npm/react@');
  });
});

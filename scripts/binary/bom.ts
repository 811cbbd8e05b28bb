import { join } from 'node:path';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import type { BuildInfo } from '../../server/runtime/build-info.ts';
import type { Package } from './packages.ts';

const { Component } = Models;

/**
 * Returns the bill of materials of a program as CycloneDX 1.6 in JSON: its packages and their dependencies.
 * The text is always the same for the same program.
 * @param program its name, its version and the SHA-256 of its file in hex
 */
export async function bomOf(
  program: { name: string; version: string; license: string; sha256: string },
  packages: Package[],
  { commit, commit_date }: BuildInfo,
): Promise<string> {
  const { name, version, license, sha256 } = program;
  const component = new Component(Enums.ComponentType.Application, name, {
    version,
    bomRef: `${name}@${version}`,
    licenses: licenseOf(license),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], sha256]]),
  });
  if (commit) component.properties.add(new Models.Property('wharf:commit', commit));
  const components = await Promise.all(packages.map(componentOf));
  const byName = new Map(components.map((one, index) => [packages[index]?.name, one]));
  for (const [index, { dependencies }] of packages.entries()) {
    component.dependencies.add((components[index] ?? component).bomRef);
    for (const needed of dependencies) {
      const other = byName.get(needed);
      if (other) components[index]?.dependencies.add(other.bomRef);
    }
  }
  const bom = new Models.Bom({
    serialNumber: `urn:uuid:${Bun.randomUUIDv5(sha256, 'oid')}`,
    metadata: new Models.Metadata({
      component,
      timestamp: commit_date ? new Date(commit_date) : undefined,
    }),
    components: new Models.ComponentRepository(components),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 1 });
}

async function componentOf({ name, version, license, description, folder }: Package) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const component = new Component(Enums.ComponentType.Library, name.split('/').at(-1) ?? name, {
    group: name.includes('/') ? name.split('/')[0] : undefined,
    version,
    description,
    purl,
    bomRef: purl,
    licenses: licenseOf(license),
  });
  // libvips consists of many libraries, which its package lists.
  const inner = Bun.file(join(folder, 'versions.json'));
  const versions: Record<string, string> = (await inner.exists()) ? await inner.json() : {};
  for (const [library, itsVersion] of Object.entries(versions)) {
    const bomRef = `${purl}#${library}`;
    const its = { version: itsVersion, purl: `pkg:generic/${library}@${itsVersion}`, bomRef };
    component.components.add(new Component(Enums.ComponentType.Library, library, its));
  }
  return component;
}

function licenseOf(license: string) {
  const id = SPDX.fixupSpdxId(license);
  const entry = id ? new Models.SpdxLicense(id) : new Models.LicenseExpression(license);
  return new Models.LicenseRepository([entry]);
}

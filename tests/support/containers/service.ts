import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../server/program.ts';
import type { Service } from '../services/compose.ts';
import type { ContainerOptions } from './container.ts';
import type { Image } from './image.ts';
import { standIn } from './stand-ins.ts';

/** Returns the container of a service. The settings of the file override those of the image. */
export async function asContainer(
  service: Service,
  about: { name: string; folder: string; namespace: string; image: Image },
): Promise<ContainerOptions> {
  const { image, folder } = about;
  const isOurs = service.build !== undefined;
  const stand = isOurs ? null : await standIn(service);
  const mounts = [`${folder}/hosts:/etc/hosts:ro`, ...(isOurs ? image.files : [])];
  for (const path of service.tmpfs ?? []) mounts.push(`tmpfs:${path}`);
  for (const volume of service.volumes ?? []) {
    if (volume.startsWith('./')) mounts.push(join(ROOT, volume));
    else mounts.push(join(folder, volume));
    const [from = '', to] = volume.split(':');
    // Docker gives a new volume the owner of the folder in the image.
    if (isOurs && to === image.volume) await chown(join(folder, from), image.user, image.group);
  }
  const settings = Object.entries(service.environment ?? {});
  return {
    ...about,
    mounts,
    isReadOnly: service.read_only ?? false,
    hasInit: service.init ?? false,
    workdir: isOurs ? image.workdir : '/',
    privileges: ['setpriv', ...privilegesOf(service, isOurs ? image : null), '--'],
    command: stand ? stand.command : [...image.entrypoint, ...(service.command ?? image.command)],
    environment: {
      // Docker sets HOME from the image's list of users.
      ...(isOurs && { ...image.environment, HOME: image.volume }),
      ...stand?.environment,
      ...Object.fromEntries(settings.map(([name, value]) => [name, String(value ?? '')])),
    },
  };
}

function privilegesOf({ cap_drop, security_opt }: Service, image: Image | null): string[] {
  const dropped = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  return [
    ...(image ? [`--reuid=${image.user}`, `--regid=${image.group}`, '--clear-groups'] : []),
    ...(cap_drop?.includes('ALL') ? dropped : []),
    ...(security_opt?.includes('no-new-privileges:true') ? ['--no-new-privs'] : []),
  ];
}

/** Returns the command that checks whether a service is healthy. */
export function checkOf({ build, healthcheck }: Service, image: Image): string[] {
  const [kind, ...check] = healthcheck?.test ?? (build ? ['CMD', ...image.healthcheck] : []);
  if (kind !== 'CMD') throw new Error('A check that is not written as a command.');
  return check;
}

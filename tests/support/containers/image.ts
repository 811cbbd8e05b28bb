import { join } from 'node:path';
import { builtProgram, ROOT } from '../server/program.ts';

export type Image = Awaited<ReturnType<typeof readImage>>;

/** Reads the Dockerfile: the image's command, environment, user and copied files. */
export async function readImage() {
  const text = (await Bun.file(join(ROOT, 'Dockerfile')).text()).replaceAll('\\\n', ' ');
  const last = text.slice(text.lastIndexOf('\nFROM ')).split('\n');
  const all = (instruction: string) =>
    last
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));
  const the = (instruction: string): string => {
    const [value, ...others] = all(instruction);
    if (!value || others.length > 0) throw new Error(`Dockerfile: not one ${instruction}`);
    return value;
  };
  const [, user = '', group = ''] = /^(\d+):(\d+)$/.exec(the('USER')) ?? [];
  return {
    entrypoint: JSON.parse(the('ENTRYPOINT')) as string[],
    command: JSON.parse(the('CMD')) as string[],
    environment: Object.fromEntries(
      the('ENV')
        .split(' ')
        .map((one) => one.split('=')),
    ) as Record<string, string>,
    healthcheck: JSON.parse(the('HEALTHCHECK').replace(/^.* CMD /, '')) as string[],
    user: Number(user),
    group: Number(group),
    workdir: the('WORKDIR'),
    volume: the('VOLUME'),
    /** The copied files as mounts. */
    files: all('COPY').map((line) => {
      const [from = '', to = ''] = line.replaceAll(/--\S+ /g, '').split(' ');
      return `${sourceOf(from)}:${to}:ro`;
    }),
  };
}

/** Returns this machine's file for one of the build stage. The program is the one under test. */
function sourceOf(path: string): string {
  const here = path.replace(/^\/src\//, '');
  return here === 'dist/wharf' ? (builtProgram ?? '') : join(ROOT, here);
}

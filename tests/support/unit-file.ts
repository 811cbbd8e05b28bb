import { join } from 'node:path';
import { findProgram } from '../../scripts/setup/programs.mjs';
import { ROOT } from './program.ts';

export const UNIT = join(ROOT, 'packaging/wharf.service');
export const LIBSECCOMP = 'libseccomp.so.2';
/** One of those that DynamicUser gives. */
export const USER_ID = 61_184;

export const systemdAnalyze: string | null = findProgram(['systemd-analyze'], process.env.PATH);

/** Runs systemd-analyze to its end, whatever it finds. */
export function analyze(...args: string[]) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([systemdAnalyze ?? '', '--no-pager', ...args]);
  return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** The values of a directive of the unit, in order. */
export async function directives(name: string): Promise<string[]> {
  const unit = await Bun.file(UNIT).text();
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

/** The names of the system calls that the unit lets through, as this machine's systemd knows its groups. */
export async function allowedSystemCalls(): Promise<string[]> {
  const groups = systemCallGroups(analyze('syscall-filter').stdout);
  const expand = (name: string): string[] =>
    name.startsWith('@') ? (groups.get(name) ?? []).flatMap(expand) : [name];
  const allowed = new Set<string>();
  for (const value of await directives('SystemCallFilter')) {
    const names = value.replace('~', '').split(' ').flatMap(expand);
    for (const name of names) value.startsWith('~') ? allowed.delete(name) : allowed.add(name);
  }
  return [...allowed];
}

/** The members of each group, which may be groups. */
function systemCallGroups(text: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  let members: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('@')) {
      members = [];
      groups.set(line.trim(), members);
    } else if (/^ +[@\w]/.test(line)) members.push(line.trim());
  }
  return groups;
}

/**
 * A command that runs what follows it with a user, a user namespace and system calls as the unit's.
 * Only root can.
 */
export async function unitPrefix(): Promise<string[]> {
  const map = `0 0 1\\n${USER_ID} ${USER_ID} 1\\n`;
  // Users are written into a namespace from outside of it, by a child that nobody waits for.
  const script = `own=$(readlink /proc/$$/ns/user)
  ( (
    for i in $(seq 1000); do
      [ "$(readlink /proc/$$/ns/user)" = "$own" ] || break
      sleep 0.01
    done
    printf '${map}' > /proc/$$/gid_map
    printf '${map}' > /proc/$$/uid_map
  ) & )
  exec unshare --user --keep-caps -- "$@"`;
  const names = (await allowedSystemCalls()).join(',');
  const exec = [process.execPath, join(import.meta.dir, 'seccomp-exec.ts'), names];
  return ['sh', '-c', script, 'sh', ...exec];
}

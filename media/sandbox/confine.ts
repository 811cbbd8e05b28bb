import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GIB, SECOND } from '../../server/contract/limits.ts';
import {
  type ConfinementReport,
  type FileAccess,
  LAUNCHER,
  type LaunchPolicy,
  NOT_STARTED_EXIT_CODE,
} from './policy.ts';
import { runBriefly, SYSTEM_PATH } from './spawn.ts';

/** The resources that a tool can use. */
export type Confinement = {
  /** Seconds of CPU time, all threads together. */
  cpuSeconds: number;
  /**
   * Address space in bytes. x264 at 1080p reserves about 1.5 GB, whether it uses them or not. What is written
   * to has the lower limit of `limitToolMemory`.
   */
  memoryBytes: number;
  /** The size of the largest file that it can write. */
  fileBytes: number;
  /** Whether it leaves the processor to everything else that needs it. */
  isBackground?: boolean;
};

/** What a program can reach beside the system's programs. */
export type ReachableFiles = {
  /** Files and folders that it can read. */
  read: string[];
  /** Folders in which it can write. */
  write: string[];
};

/** The user that owns nothing on every Linux. It is given by number, because a container may lack the name. */
const NOBODY = 65_534;
/**
 * At the soft limit ffmpeg gets SIGXCPU, which it takes as a request to finish; this much later the kernel
 * sends SIGKILL.
 */
const CPU_GRACE_SECONDS = 10;
const NICENESS = 10;
const BACKGROUND_NICENESS = 19;
const TRIAL_TIMEOUT_MS = 10 * SECOND;
const TRIAL_LIMITS = { cpuSeconds: 10, memoryBytes: 2 * GIB, fileBytes: 0 };

/**
 * What programs need in order to start: themselves, their libraries, fonts for SVGs, and what the kernel
 * tells about the machine. In /proc Landlock hides what belongs to other processes.
 */
const SYSTEM_FILES = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store'],
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/fonts', '/etc/localtime'],
  ...['/var/cache/fontconfig', '/proc', '/sys'],
  ...['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'],
];

const locate = (name: string) => Bun.which(name) ?? Bun.which(name, { PATH: SYSTEM_PATH });
const isRoot = process.getuid?.() === 0;
const launcher = Bun.isStandaloneExecutable
  ? [process.execPath, LAUNCHER]
  : [process.execPath, join(import.meta.dir, 'launcher.ts')];

/** Returns the command that confines itself by a policy and then becomes `command`. */
const launched = (policy: LaunchPolicy, command: string[]): string[] => [
  ...launcher,
  JSON.stringify(policy),
  ...command,
];

const fileAccess = ({ read, write }: ReachableFiles, list: string[] = []): FileAccess => ({
  read: [...SYSTEM_FILES, ...read],
  write: ['/dev/null', ...write],
  list,
});

/** What holds for a tool on this system. It can't be read anywhere, so each tool is tried once. */
type Trial = {
  /** Whether it runs as nobody. False where that can't execute it, as below /root. */
  asNobody: boolean;
  /** Whether it starts with access to its own files only. False where its libraries are elsewhere. */
  withOwnFiles: boolean;
  /** Null for a tool that does not start at all. */
  report: ConfinementReport | null;
  /** Whether it was ended before it showed anything. A machine that is too busy is no reason to confine less. */
  isUnknown: boolean;
};
const STRICTEST = { asNobody: isRoot, withOwnFiles: true };
const STEPS = [
  STRICTEST,
  { asNobody: isRoot, withOwnFiles: false },
  { asNobody: false, withOwnFiles: true },
  { asNobody: false, withOwnFiles: false },
];
const NOTHING_HOLDS: ConfinementReport = {
  unprivileged: !isRoot,
  noNetwork: false,
  noNamespaces: false,
  ownFilesOnly: false,
  limits: false,
  lowPriority: false,
  diesWithParent: false,
};
/** Bytes that each tool may allocate. Memory that is only reserved does not count. */
let toolMemoryBytes = Number.MAX_SAFE_INTEGER;

/** Limits the bytes of memory of each tool that starts from now on. */
export function limitToolMemory(bytes: number): void {
  toolMemoryBytes = bytes;
}

/** Returns the bytes that each tool may allocate. */
export const toolMemory = (): number => toolMemoryBytes;

const trials = new Map<string, Promise<Trial>>();

/** Finds the strictest confinement in which a program starts. Only a success is remembered. */
async function tryOnce(program: string): Promise<Trial> {
  const trial = trials.get(program) ?? tryStarting(program);
  trials.set(program, trial);
  let isSuccess = false;
  try {
    const result = await trial;
    isSuccess = result.report !== null;
    return result;
  } finally {
    if (!isSuccess) trials.delete(program);
  }
}

async function tryStarting(program: string): Promise<Trial> {
  for (const { asNobody, withOwnFiles } of STEPS) {
    const policy = {
      ...toolPolicy('/', TRIAL_LIMITS, { asNobody, withOwnFiles }, ownFiles(program)),
      isReported: true,
    };
    const { exitCode, stdout } = await runBriefly(
      launched(policy, [program, '-version']),
      TRIAL_TIMEOUT_MS,
    );
    if (exitCode === null) return { ...STRICTEST, report: null, isUnknown: true };
    if (exitCode === NOT_STARTED_EXIT_CODE) continue;
    const report: ConfinementReport = JSON.parse(stdout.slice(0, stdout.indexOf('\n')));
    return { asNobody: asNobody && report.unprivileged, withOwnFiles, report, isUnknown: false };
  }
  return { ...STRICTEST, report: null, isUnknown: false };
}

/**
 * Returns where a tool and its libraries are, which may not be where the system has its programs. A tool that
 * is not in a folder of programs gets itself only: beside it could be DATA_DIR.
 */
function ownFiles(program: string): ReachableFiles {
  if (!existsSync(program)) return { read: [], write: [] };
  const path = realpathSync(program);
  const folder = dirname(path);
  const isPrefixed = basename(folder) === 'bin' && dirname(folder) !== '/';
  return { read: isPrefixed ? [folder, join(folder, '../lib')] : [path], write: [] };
}

const basePolicy = (cwd: string, fileBytes: number): LaunchPolicy => ({
  cwd,
  parent: process.pid,
  user: null,
  files: null,
  limits: { file: Math.ceil(fileBytes) },
  niceness: null,
  isReported: false,
});

function toolPolicy(
  cwd: string,
  limits: Confinement,
  { asNobody, withOwnFiles }: Pick<Trial, 'asNobody' | 'withOwnFiles'>,
  files: ReachableFiles,
): LaunchPolicy {
  const cpu = Math.ceil(limits.cpuSeconds);
  return {
    ...basePolicy(cwd, limits.fileBytes),
    user: asNobody ? NOBODY : null,
    files: withOwnFiles ? fileAccess(files) : null,
    limits: {
      cpu: { soft: cpu, hard: cpu + CPU_GRACE_SECONDS },
      addressSpace: Math.ceil(limits.memoryBytes),
      data: Math.ceil(Math.min(limits.memoryBytes, toolMemoryBytes)),
      file: Math.ceil(limits.fileBytes),
    },
    niceness: limits.isBackground ? BACKGROUND_NICENESS : NICENESS,
  };
}

/** Returns the user id that must own the private folders of tools; null where tools run as our own user. */
export async function toolUser(): Promise<number | null> {
  if (!isRoot) return null;
  return (await tryOnce(locate('true') ?? 'true')).asNobody ? NOBODY : null;
}

/**
 * Wraps a tool's command so that it runs in `cwd` without network, as nobody where we are root, with access
 * to `files` only, within its limits, at a low priority, and dies with this process, also at kill -9.
 * Protections that this system does not offer are left out; `describeConfinement` lists them. The process
 * id is the tool's.
 */
export async function confine(
  command: string[],
  run: { cwd: string; limits: Confinement; files: ReachableFiles },
): Promise<string[]> {
  const [name = '', ...rest] = command;
  const program = locate(name) ?? name;
  const { read, write } = run.files;
  const files = { read: [...read, ...ownFiles(program).read], write };
  const policy = toolPolicy(run.cwd, run.limits, await tryOnce(program), files);
  return launched(policy, [program, ...rest]);
}

/**
 * Wraps the command of one of our own programs that decodes untrusted files. It becomes nobody by itself
 * once it has loaded its libraries, which nobody may not be able to read, and limits its memory then, as
 * JavaScript reserves more address space than any useful limit.
 * @param run.list folders whose names it can list
 */
export function confineDecoder(
  command: string[],
  run: { cwd: string; fileBytes: number; files: ReachableFiles; list: string[] },
): string[] {
  const policy = basePolicy(run.cwd, run.fileBytes);
  return launched({ ...policy, files: fileAccess(run.files, run.list) }, command);
}

/**
 * Returns which protections a tool (a program by name or path) has on this system. Throws where the machine was
 * too busy to start it in time, so that nothing is known.
 */
export async function describeTool(tool: string): Promise<ConfinementReport> {
  const { report, isUnknown } = await tryOnce(locate(tool) ?? tool);
  if (isUnknown) throw new Error(`${tool} did not start in time.`);
  return report ?? NOTHING_HOLDS;
}

/** Returns which protections the decoders of images, and ffmpeg, have on this system. Throws as `describeTool` does. */
export async function describeConfinement(ffmpeg = 'ffmpeg') {
  const [{ lowPriority: _, ...images }, videos] = await Promise.all(
    ['true', ffmpeg].map(describeTool) as [Promise<ConfinementReport>, Promise<ConfinementReport>],
  );
  return { images, videos };
}

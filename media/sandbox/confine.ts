import { SYSTEM_PATH, succeeds, succeedsSync } from './spawn.ts';

/** What one tool may use. */
export type Confinement = {
  /** Seconds of processor time, all threads together. */
  cpuSeconds: number;
  /** Address space in bytes. x264 at 1080p needs about 1.5 GB of it, used or not. */
  memoryBytes: number;
  /** Size of the largest file it may write. */
  fileBytes: number;
};

/** The user that owns nothing, on every Linux; by number, for a container may lack its name. */
const NOBODY = 65_534;
/** After the soft limit's SIGXCPU, which ffmpeg takes as a wish to end, comes the kernel's SIGKILL. */
const CPU_GRACE_SECONDS = 10;
const NICENESS = '10';

const locate = (name: string) => Bun.which(name) ?? Bun.which(name, { PATH: SYSTEM_PATH });
const isRoot = process.getuid?.() === 0;

/**
 * A wrapper that really works here, or none. Whether a container lets us change the user or leave
 * the network cannot be read anywhere, so it is tried, once.
 */
function tried(name: string, ...args: string[]): Wrapper {
  let wrapper: string[] | undefined;
  const keep = (isWorking: boolean) => {
    wrapper ??= isWorking ? [locate(name) ?? name, ...args, '--'] : [];
    return wrapper;
  };
  const get = () => wrapper ?? keep(works(name, args));
  return Object.assign(get, {
    async prepare() {
      const trial = wrapper ? null : trialOf(name, args);
      if (trial) keep(await succeeds(trial));
    },
  });
}

/** What to put before a command; `prepare` tries it without holding the process up. */
type Wrapper = (() => string[]) & { prepare(): Promise<void> };

function trialOf(name: string, args: string[], command = ['true']): string[] | null {
  const program = locate(name);
  return program ? [program, ...args, '--', ...command] : null;
}

function works(name: string, args: string[], command?: string[]): boolean {
  const trial = trialOf(name, args, command);
  return trial !== null && succeedsSync(trial);
}

const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs'];

const inheritingDeath = tried('setpriv', '--pdeathsig', 'KILL');
const asNobody = tried('setpriv', ...AS_NOBODY);
const withoutNewPrivileges = tried('setpriv', '--no-new-privs');
/** An ordinary user may leave the network from within a user namespace of their own. */
const withoutNetwork = isRoot ? tried('unshare', '--net') : tried('unshare', '--user', '--net');
const limiting = tried('prlimit', '--core=0');
const nicely = tried('nice', '-n', NICENESS);

/** Tries all wrappers at once: one after the other, when they are needed, they take five times as long. */
export async function prepareConfinement(): Promise<void> {
  const wrappers = [inheritingDeath, withoutNewPrivileges, withoutNetwork, limiting, nicely];
  await Promise.all([...wrappers, ...(isRoot ? [asNobody] : [])].map((one) => one.prepare()));
}

const usableByNobody = new Map<string, boolean>();

/** A program below /root, say, is not nobody's to run. */
function canNobodyRun(program: string): boolean {
  const known = usableByNobody.get(program);
  if (known !== undefined) return known;
  const usable = works('setpriv', AS_NOBODY, ['test', '-x', program]);
  usableByNobody.set(program, usable);
  return usable;
}

/** The user id that tools' private folders must belong to; null where tools run as we do. */
export function toolUser(): number | null {
  return isRoot && asNobody().length > 0 ? NOBODY : null;
}

/**
 * Wraps a command so that it dies with the process that started it, even at kill -9 (a plain
 * child would go on encoding for nobody).
 */
export function dieWithParent(command: string[]): string[] {
  return [...inheritingDeath(), ...command];
}

/**
 * Wraps a tool's command so that it runs without network, as nobody where we are root, within its
 * limits, at a low priority. Each wrapper replaces itself by the next, so the process id stays
 * the tool's. What this system cannot do is left out: `describeConfinement` tells.
 */
export function confine(command: string[], limits: Confinement): string[] {
  const [name = '', ...rest] = command;
  const program = locate(name) ?? name;
  const cpu = Math.ceil(limits.cpuSeconds);
  return [
    ...withoutNetwork(),
    ...(toolUser() !== null && canNobodyRun(program) ? asNobody() : withoutNewPrivileges()),
    // After the change of user, at which the kernel forgets the signal.
    ...dieWithParent([
      ...withLimits([
        `--cpu=${cpu}:${cpu + CPU_GRACE_SECONDS}`,
        `--as=${Math.ceil(limits.memoryBytes)}`,
        `--fsize=${Math.ceil(limits.fileBytes)}`,
      ]),
      ...nicely(),
      program,
      ...rest,
    ]),
  ];
}

function withLimits(limits: string[]): string[] {
  const [prlimit, ...fixed] = limiting();
  return prlimit ? [prlimit, ...limits, ...fixed] : [];
}

export type ConfinementReport = {
  /** Not as root. */
  unprivileged: boolean;
  noNetwork: boolean;
  /** Of processor time, memory and file size. */
  limits: boolean;
  lowPriority: boolean;
  diesWithParent: boolean;
};

/** Which protections hold for a tool (a program by name or path) on this system. */
export function describeConfinement(tool = 'ffmpeg'): ConfinementReport {
  const program = locate(tool) ?? tool;
  return {
    unprivileged: !isRoot || (toolUser() !== null && canNobodyRun(program)),
    noNetwork: withoutNetwork().length > 0,
    limits: limiting().length > 0,
    lowPriority: nicely().length > 0,
    diesWithParent: inheritingDeath().length > 0,
  };
}

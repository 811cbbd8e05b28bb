import { SYSTEM_PATH, succeeds, succeedsSync } from './spawn.ts';

/** The resources that a tool can use. */
export type Confinement = {
  /** Seconds of CPU time, all threads together. */
  cpuSeconds: number;
  /** Address space in bytes. x264 at 1080p reserves about 1.5 GB, whether it uses them or not. */
  memoryBytes: number;
  /** The size of the largest file that it can write. */
  fileBytes: number;
};

/** The user that owns nothing on every Linux. It is given by number, because a container may lack the name. */
const NOBODY = 65_534;
/**
 * At the soft limit ffmpeg gets SIGXCPU, which it takes as a request to finish; this much later the kernel
 * sends SIGKILL.
 */
const CPU_GRACE_SECONDS = 10;
const NICENESS = '10';

const locate = (name: string) => Bun.which(name) ?? Bun.which(name, { PATH: SYSTEM_PATH });
const isRoot = process.getuid?.() === 0;

/**
 * Returns a wrapper that works on this system, or none. Whether a container allows changing the user or
 * leaving the network can't be read anywhere, so each wrapper is tried once.
 */
function optionalWrapper(name: string, ...args: string[]): Wrapper {
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

/** Returns the words before a command. `prepare` tries the wrapper without blocking the process. */
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

const inheritingDeath = optionalWrapper('setpriv', '--pdeathsig', 'KILL');
const asNobody = optionalWrapper('setpriv', ...AS_NOBODY);
const withoutNewPrivileges = optionalWrapper('setpriv', '--no-new-privs');
/** An ordinary user can leave the network from within a new user namespace. */
const withoutNetwork = isRoot
  ? optionalWrapper('unshare', '--net')
  : optionalWrapper('unshare', '--user', '--net');
const limiting = optionalWrapper('prlimit', '--core=0');
const nicely = optionalWrapper('nice', '-n', NICENESS);

/**
 * Tries all wrappers at the same time. One after the other, when they are needed, they take five times as
 * long.
 */
export async function prepareConfinement(): Promise<void> {
  const wrappers = [inheritingDeath, withoutNewPrivileges, withoutNetwork, limiting, nicely];
  await Promise.all([...wrappers, ...(isRoot ? [asNobody] : [])].map((one) => one.prepare()));
}

const executableByNobody = new Map<string, boolean>();

/** Whether nobody can execute a program, unlike one below /root. */
function canNobodyRun(program: string): boolean {
  const cached = executableByNobody.get(program);
  if (cached !== undefined) return cached;
  const usable = works('setpriv', AS_NOBODY, ['test', '-x', program]);
  executableByNobody.set(program, usable);
  return usable;
}

/** Returns the user id that must own the private folders of tools; null where tools run as our own user. */
export function toolUser(): number | null {
  return isRoot && asNobody().length > 0 ? NOBODY : null;
}

/**
 * Wraps a command so that it dies with its parent process, also at kill -9. A plain child would go on
 * encoding.
 */
export function dieWithParent(command: string[]): string[] {
  return [...inheritingDeath(), ...command];
}

/**
 * Wraps a tool's command so that it runs without network, as nobody where we are root, within its limits,
 * and at a low priority. Each wrapper replaces itself by the next one, so the process id is the tool's.
 * Protections that this system does not offer are left out; `describeConfinement` lists them.
 */
export function confine(command: string[], limits: Confinement): string[] {
  const [name = '', ...rest] = command;
  const program = locate(name) ?? name;
  const cpu = Math.ceil(limits.cpuSeconds);
  return [
    ...withoutNetwork(),
    ...(toolUser() !== null && canNobodyRun(program) ? asNobody() : withoutNewPrivileges()),
    // This must come after the change of user, at which the kernel forgets the signal.
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
  /** Whether the tool does not run as root. */
  unprivileged: boolean;
  noNetwork: boolean;
  /** Limits of CPU time, memory and file size. */
  limits: boolean;
  lowPriority: boolean;
  diesWithParent: boolean;
};

/** Returns which protections a tool (a program by name or path) has on this system. */
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

/* What the processes that confine and those that are confined tell each other. */

/** The argument by which the built program starts itself as the launcher. */
export const LAUNCHER = 'launch-confined';

/** The exit code of a shell for a program that can't be started, and of the dynamic linker. */
export const NOT_STARTED_EXIT_CODE = 127;

/** Which files a program can reach. Paths that don't exist are ignored. */
export type FileAccess = {
  /** Files that it can read and execute, and folders with all of their content. */
  read: string[];
  /** Folders in which it can also write, but not execute. */
  write: string[];
  /** Folders whose names it can list, at any depth, without reading a file. */
  list: string[];
};

/** What the launcher does before it becomes the program. */
export type LaunchPolicy = {
  cwd: string;
  /** The process whose end ends the program. */
  parent: number;
  /** The user to become; null to stay the same. */
  user: number | null;
  /** Null for no restriction. */
  files: FileAccess | null;
  limits: {
    /** Seconds; see `Confinement`. */
    cpu?: { soft: number; hard: number };
    /** Bytes. */
    addressSpace?: number;
    /** Bytes that are allocated rather than reserved. */
    data?: number;
    /** Bytes. */
    file: number;
  };
  /** Null to keep the priority. */
  niceness: number | null;
  /** Whether to print, as a line of JSON before the program's output, which protections hold. */
  isReported: boolean;
};

/** Which protections a program has. */
export type ConfinementReport = {
  /** Whether it does not run as root. */
  unprivileged: boolean;
  noNetwork: boolean;
  /** Whether it can't make namespaces, in which it would have all capabilities. */
  noNamespaces: boolean;
  /** Whether it can reach only its own files and those of the system's programs. */
  ownFilesOnly: boolean;
  /** Limits of CPU time, memory and file size. */
  limits: boolean;
  lowPriority: boolean;
  diesWithParent: boolean;
};

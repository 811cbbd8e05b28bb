import { writeFileSync, writeSync } from 'node:fs';
import { MIB } from '../../server/contract/limits.ts';
import { restrictFiles } from './landlock.ts';
import {
  canLeaveNamespaces,
  canOpenSocket,
  dieWithParent,
  filterCalls,
  leaveNetwork,
  limitResource,
  lowerPriority,
  prepareExecution,
  refuseNewPrivileges,
} from './libc.ts';
import { type ConfinementReport, type LaunchPolicy, NOT_STARTED_EXIT_CODE } from './policy.ts';
import { callFilter } from './seccomp.ts';

/**
 * The stack of each thread, which counts as allocated in full. 8 MiB are usual, and the threads of macOS have
 * 512 KiB.
 */
const STACK_BYTES = 2 * MIB;

/**
 * Confines this process by a policy, then replaces it by a program: `launch(policy as JSON, program,
 * ...arguments)`. Landlock and filters of system calls hold for one thread and what it executes, so a
 * running program with threads could not confine itself. What the system does not offer is left out. Ends
 * the process where the program can't be started, or the parent has already gone.
 */
export function launch([policyText = '', ...command]: string[]): never {
  const policy: LaunchPolicy = JSON.parse(policyText);
  const execute = prepareExecution(command);
  const report = confineSelf(policy);
  if (!report.diesWithParent && process.ppid !== policy.parent) process.exit(1);
  if (policy.isReported) writeSync(1, `${JSON.stringify(report)}\n`);
  // Less memory than this process has would stop its own allocations, so this comes last.
  const { addressSpace, data } = policy.limits;
  if (data !== undefined) {
    limitResource('data', data);
    limitResource('stack', STACK_BYTES);
  }
  if (addressSpace !== undefined) limitResource('as', addressSpace);
  const error = execute();
  writeSync(2, `${command[0]} can't be started (error ${error}).\n`);
  process.exit(NOT_STARTED_EXIT_CODE);
}

function confineSelf(policy: LaunchPolicy): ConfinementReport {
  process.chdir(policy.cwd);
  offerToKernel();
  const isRoot = process.getuid?.() === 0;
  // Root can take a network namespace, which is one more wall behind the filter.
  const isAlone = isRoot && leaveNetwork();
  const filter = callFilter(process.arch);
  refuseNewPrivileges();
  const limits = setLimits(policy);
  const lowPriority = policy.niceness !== null && lowerPriority(policy.niceness);
  // The rules name folders that only root can open, so they are made before the user changes.
  const ownFilesOnly = policy.files !== null && restrictFiles(policy.files);
  if (policy.user !== null) becomeUser(policy.user);
  const diesWithParent = dieWithParent(policy.parent);
  if (filter) filterCalls(filter);
  return {
    unprivileged: process.getuid?.() !== 0,
    noNetwork: isAlone || !canOpenSocket(),
    noNamespaces: !canLeaveNamespaces(),
    ownFilesOnly,
    limits,
    lowPriority,
    diesWithParent,
  };
}

/**
 * Makes this process, and what it executes, the first that the kernel kills when memory is short. It takes the
 * largest of them, so a file that needs too much ends rather than the server or somebody else's file.
 */
function offerToKernel(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // A container can hide it. The kernel then chooses by size alone.
  }
}

function setLimits({ limits: { cpu, file } }: LaunchPolicy): boolean {
  const results = [
    limitResource('core', 0),
    limitResource('fsize', file),
    ...(cpu ? [limitResource('cpu', cpu.soft, cpu.hard)] : []),
  ];
  return results.every(Boolean);
}

/** Becomes another user for good. A process without the right to do so keeps its user. */
export function becomeUser(user: number): void {
  try {
    process.setgroups?.([]);
    process.setgid?.(user);
    process.setuid?.(user);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

if (import.meta.main) launch(process.argv.slice(2));

import { readdirSync, readFileSync } from 'node:fs';

/**
 * Sends a signal to a process group, or to a process that doesn't lead one. Does nothing if it has ended.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function killGroup(pid, signal) {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/**
 * Returns the live processes of a group, and all others that have `mark` in their environment. They are read
 * from /proc; systems without it have none. Zombies don't count as live.
 * @param {number | undefined} group
 * @param {string} mark as NAME=value
 */
export function leftovers(group, mark) {
  return processes().filter(({ pid, state, pgrp, environment }) => {
    if (pid === process.pid || state === 'Z' || state === 'X') return false;
    return pgrp === group || environment.includes(mark);
  });
}

function processes() {
  return listProc()
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const [state = 'X', , pgrp] = read(pid, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      const environment = read(pid, 'environ').split('\0');
      const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
      return { pid: Number(pid), state, pgrp: Number(pgrp), environment, command };
    });
}

function listProc() {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/**
 * Reads a file of a process in /proc; '' if the process has ended or belongs to another user.
 * @param {string} pid @param {string} file
 */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

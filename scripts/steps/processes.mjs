import { readdirSync, readFileSync } from 'node:fs';

/**
 * Sends a signal to a process group, or to a process that leads none; one that is gone is fine.
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
 * The living processes of a group, and those that carry `mark` in their environment wherever
 * they have moved to. Reads /proc: on systems without it, none. Zombies count as dead.
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

/** A process's file; '' when it has ended or is another user's. @param {string} pid @param {string} file */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

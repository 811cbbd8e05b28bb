/** Runs a command to its end and returns its output and its processor time in seconds. Throws where it fails. */
export function run(cwd: string, command: string[]) {
  const { success, resourceUsage, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (!success || !resourceUsage) throw new Error(`${command[0]} failed: ${stderr}`);
  const cpu = Number(resourceUsage.cpuTime.total) / 1e6;
  return { cpu, stdout: stdout.toString(), stderr: stderr.toString() };
}

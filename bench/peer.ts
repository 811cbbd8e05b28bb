export type Peer = { url: string; pid: number; stop: () => Promise<void> };

const START_TIMEOUT_MS = 60_000;

/** Starts a server to be measured beside ours, once it answers at `url`. Throws when it does not; what it writes to stderr is shown. */
export async function startPeer(url: string, command: string[]): Promise<Peer> {
  const child = Bun.spawn(command, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} did not start.`);
    }
    await Bun.sleep(20);
  }
  return { url, pid: child.pid, stop };
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

/*
 * Requests a URL 100 times a second, whatever the server does, in a process of its own. It prints its
 * times as JSON when its standard input ends.
 */
const INTERVAL_MS = 10;
const TIMEOUT_MS = 600_000;
/** With so many requests waiting, further ones are not sent, and answered with the next one that is. */
const MAX_WAITING = 200;

const [url = ''] = process.argv.slice(2);
const times: number[] = [];
let unsent: number[] = [];
let failed = 0;
let waiting = 0;
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

async function request(scheduled: number): Promise<void> {
  waiting += 1;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
    if (response.status !== 200) failed += 1;
  } catch {
    failed += 1;
  } finally {
    waiting -= 1;
    const now = performance.now();
    times.push(...[scheduled, ...unsent].map((at) => now - at));
    unsent = [];
  }
}

const running: Promise<void>[] = [];
let next = performance.now();
while (!isOver) {
  next += INTERVAL_MS;
  await Bun.sleep(Math.max(0, next - performance.now()));
  if (waiting >= MAX_WAITING) unsent.push(next);
  else running.push(request(next));
}
await Promise.all(running);
times.sort((a, b) => a - b);
const at = (share: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
console.log(
  JSON.stringify({ count: times.length, failed, p50: at(0.5), p99: at(0.99), max: at(1) }),
);
process.exit(0);

export {};

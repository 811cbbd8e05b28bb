const PREFIX = 'upload ';

/**
 * Does `work` while other tabs can see that this upload is being sent. The browser takes a tab's
 * locks back when it ends, however it ends. Without locks, on plain http, nobody sees.
 */
export function whileSending<Result>(
  clientId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!navigator.locks) return work();
  return navigator.locks.request(PREFIX + clientId, { ifAvailable: true }, work);
}

/** The uploads that some tab of this browser is sending. */
export async function sentNow(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(PREFIX));
  return new Set(names.map((name) => name.slice(PREFIX.length)));
}

import { join } from 'node:path';

/** Why tests of the suite aren't expected to pass, and which. */
export type LeftOut = {
  reason: string;
  /** Whether they pass with a newer client. */
  dependsOnClient: boolean;
  tests: string[];
};

/** Tests below a heading that begins like this pass or fail by the version of the client. */
const CLIENT = 'Depends on the client: ';

/** Reads the list. Throws where it names a test twice. */
export async function readLeftOut(path = join(import.meta.dir, 'left-out.md')): Promise<LeftOut[]> {
  return parseLeftOut(await Bun.file(path).text());
}

export function parseLeftOut(text: string): LeftOut[] {
  const groups: LeftOut[] = [];
  const named = new Set<string>();
  for (const line of text.split('\n')) {
    const [, reason] = /^## (.*)$/.exec(line) ?? [];
    if (reason !== undefined) {
      groups.push({ reason, dependsOnClient: reason.startsWith(CLIENT), tests: [] });
    }
    const [, test] = /^- (test_\w+\.py::\S+)$/.exec(line) ?? [];
    if (test === undefined) continue;
    if (named.has(test)) throw new Error(`The list names ${test} twice.`);
    named.add(test);
    const group = groups.at(-1);
    if (!group) throw new Error(`No heading says why ${test} is left out.`);
    group.tests.push(test);
  }
  return groups;
}

/** Returns the name of a test without the parameters of this run of it. */
export const withoutParameters = (test: string): string => test.replace(/\[.*$/, '');

/**
 * Returns the function that finds the group of a test; undefined for one that is not left out. A name without parameters
 * is of all of its runs.
 */
export function leftOutGroups(groups: readonly LeftOut[]): (test: string) => LeftOut | undefined {
  const byName = new Map(
    groups.flatMap((group) => group.tests.map((test) => [test, group] as const)),
  );
  return (test) => byName.get(test) ?? byName.get(withoutParameters(test));
}

import { beforeAll, describe, expect, test } from 'bun:test';
import {
  type Ending,
  endingsBesideServer,
  endingsOfAdapters,
  endingsWithoutServer,
} from '../support/behaviour/commands.ts';
import { normalised } from '../support/behaviour/normalised.ts';
import { type RecordedResponse, recordResponses } from '../support/behaviour/requests.ts';
import { photo } from '../support/fixtures/make-media.ts';
import { freshDatabase } from '../support/server/engines.ts';
import { builtProgram, sourceCommand } from '../support/server/program.ts';
import { startServerProcess } from '../support/server/server-process.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRgw } from '../support/services/rgw.ts';

const postgres = await startPostgres();
const rgw = await startRgw();
const image = new File([(await photo()) as never], 'harbour.jpg', { type: 'image/jpeg' });
const APP_SECRET = 'a secret of thirty-two characters';

type Settings = () => Promise<Record<string, string>>;
type Behaviour = { responses: RecordedResponse[]; endings: Ending[]; log: string[] };

const sqlite: Settings = async () => ({ APP_SECRET });
const onServices: Settings = async () => ({
  APP_SECRET,
  ...(postgres && { DATABASE_URL: await freshDatabase(postgres.url) }),
  ...(rgw && { STORAGE_URL: (await rgw.bucket()).url }),
});

/** Returns everything that a user of a program, its commands and its log can see. */
async function behaviourOf(
  program: string[],
  settings: Settings,
  { runCommands, isBrief }: { runCommands: typeof endingsBesideServer; isBrief: boolean },
): Promise<Behaviour> {
  const env = {
    ADMIN_EMAIL: 'admin@example.org',
    METRICS_TOKEN: 'm'.repeat(32),
    ...(await settings()),
  };
  const server = await startServerProcess({ program, env });
  const { url, dataDir } = server;
  try {
    const responses = await recordResponses(server, image, { isBrief });
    const endings = await runCommands(program, { ...env, DATA_DIR: dataDir, APP_URL: url });
    await server.restart();
    const log = (await server.log()).split('\n').map((line) => normalised(line));
    return { responses, endings, log };
  } finally {
    await server.stop();
  }
}

/** Returns each line of a log once, because the number of housekeeping reports depends on the time. */
const distinct = (lines: string[]) =>
  [...new Set(lines.map((line) => line.replace(/"(ms|bytes)":[\d.]+/g, '"$1":N')))].sort();

test.skipIf(!builtProgram)(
  'without a server, the built file and the sources end the same commands alike',
  async () => {
    const [file, sources] = await Promise.all([
      endingsWithoutServer([builtProgram ?? '']),
      endingsWithoutServer(sourceCommand),
    ]);
    expect(file.length).toBeGreaterThan(20);
    expect(file).toEqual(sources);
  },
);

describe.each([
  {
    name: 'SQLite and a disk',
    settings: sqlite,
    work: { runCommands: endingsBesideServer, isBrief: false },
    counts: { commands: 10, responses: 400 },
    isHere: true,
  },
  {
    name: 'PostgreSQL and S3',
    settings: onServices,
    work: { runCommands: endingsOfAdapters, isBrief: true },
    counts: { commands: 4, responses: 150 },
    isHere: postgres !== null || rgw !== null,
  },
])('on $name', ({ settings, work, counts, isHere }) => {
  describe.skipIf(!builtProgram || !isHere)('the built file and the sources', () => {
    let file: Behaviour;
    let sources: Behaviour;
    beforeAll(async () => {
      [file, sources] = await Promise.all([
        behaviourOf([builtProgram ?? ''], settings, work),
        behaviourOf(sourceCommand, settings, work),
      ]);
    });

    test('answer the same requests alike', () => {
      expect(file.responses.length).toBeGreaterThan(counts.responses);
      expect(file.responses).toEqual(sources.responses);
    });

    test('end the same commands alike', () => {
      expect(file.endings).toHaveLength(counts.commands);
      expect(file.endings).toEqual(sources.endings);
    });

    test('log alike', () => {
      expect(distinct(file.log)).toEqual(distinct(sources.log));
    });
  });
});

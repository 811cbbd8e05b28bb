import { expect, test } from 'bun:test';
import { rounds } from '../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../contract/limits.ts';
import { byteMsOf, dayOf, dayText, hourOf, monthOf } from './periods.ts';
import { ModelBucket, randomNumbers } from './testing/model.ts';
import { openUsageFixture, type UsageFixture } from './testing/usage-fixture.ts';

const OPERATIONS = rounds(10_000, 400);
/** From single bytes to a bucket of a pebibyte. */
const SIZES = [1, 1023, 5 * GIB + 3, 20 * 1024 * GIB + 1];
const STEPS = [0, 1, 999, 5 * MINUTE, HOUR, 7 * HOUR + 1, DAY];

type Pair = { id: string; model: ModelBucket };

async function operate(fixture: UsageFixture, pairs: Pair[], random: () => number) {
  const pick = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One;
  const { id, model } = pick(pairs);
  const fileId = pick(model.live());
  const file = model.files.get(fileId ?? '');
  const now = fixture.clock();
  const kind = random();
  if (kind < 0.25 || fileId === undefined) {
    const bytes = Math.floor(random() * pick(SIZES)) + 1;
    model.upload(await fixture.upload(id, bytes), now, bytes);
  } else if (kind < 0.4) {
    const change = random() < 0.3 ? -model.sizeOf(fileId) : pick(SIZES);
    const bytes = Math.trunc(random() * change);
    file?.growth.push({ at: now, bytes });
    await fixture.grow(id, fileId, bytes, !file?.isTrashed);
  } else if (kind < 0.5) {
    const bytes = model.sizeOf(fileId);
    await (file?.isTrashed ? fixture.purge : fixture.remove)(id, fileId, bytes);
    if (file) file.removedAt = now;
  } else if (kind < 0.6) {
    const isTrashed = !file?.isTrashed;
    await fixture.setCurrent(id, fileId, model.sizeOf(fileId), !isTrashed);
    if (file) file.isTrashed = isTrashed;
  } else if (kind < 0.8) {
    const bytes = Math.floor(random() * GIB);
    model.files.get(fileId)?.deliveries.push({ at: now, bytes });
    fixture.usage.counterOf(id, fileId)(bytes);
    if (random() < 0.3) await fixture.usage.flush();
  } else if (kind < 0.85) await fixture.usage.tidy();
  else {
    // What was sent before a step is written before it, as it is every second.
    await fixture.usage.flush();
    fixture.move(pick(STEPS));
  }
}

/** Expects what readers say of a bucket whose changes may not be folded yet. */
async function expectStored({ buckets, usage, userId, clock }: UsageFixture, { id, model }: Pair) {
  expect(await buckets.get(userId, id)).toMatchObject({
    usage: model.usage(),
    total_uploads: model.current().length,
  });
  const { stats } = await usage.chart(id, { chartType: 'disk-active', unit: 'Bytes' });
  expect(stats.at(-1)?.data).toBe(model.diskActive(dayOf(clock())));
}

async function expectRight(fixture: UsageFixture, { id, model }: Pair, startedAt: number) {
  const { buckets, usage, userId } = fixture;
  const now = fixture.clock();
  const today = dayOf(now);
  expect(await buckets.get(userId, id)).toMatchObject({
    usage: model.usage(),
    bandwidth: model.bandwidth(monthOf(now), now + 1),
    total_uploads: model.current().length,
  });

  const hours = new Map((await fixture.hours(id)).map((one) => [one.hour, one]));
  const nothing = { bandwidth: 0, uploaded: 0, stored_change: 0 };
  let [level, sum] = [0n, 0n];
  for (let hour = hourOf(startedAt); hour <= hourOf(now); hour += HOUR) {
    const row = hours.get(hour);
    const { bandwidth, uploaded, stored_change } = row ?? nothing;
    const expected = model.hour(hour);
    if (bandwidth !== expected.bandwidth || uploaded !== expected.uploaded) {
      expect({ hour, bandwidth, uploaded }).toEqual({ hour, ...expected });
    }
    sum += level * BigInt(HOUR) + (row ? byteMsOf(row) : 0n);
    level += BigInt(stored_change);
    if (sum !== model.integral(0, hour + HOUR)) throw new Error(`the storage of ${hour} is wrong`);
  }
  expect(Number(level)).toBe(model.usage());

  const from = today - 300 * DAY;
  const chart = async (chartType: 'disk-all' | 'disk-active' | 'bandwidth') =>
    (await usage.chart(id, { chartType, unit: 'Bytes', from: dayText(from) })).stats;
  const days = Array.from({ length: 301 }, (_, index) => from + index * DAY);
  const expectedSeries = (value: (day: number) => number) =>
    days.map((day) => ({ date: dayText(day), data: value(day) }));
  expect(await chart('disk-all')).toEqual(expectedSeries((day) => model.diskAll(day)));
  expect(await chart('disk-active')).toEqual(expectedSeries((day) => model.diskActive(day)));
  expect(await chart('bandwidth')).toEqual(
    expectedSeries((day) => model.bandwidth(day, day + DAY)),
  );

  for (const [fileId, file] of [...model.files].filter(([, one]) => one.removedAt === null)) {
    const total = file.deliveries.reduce((bytes, one) => bytes + one.bytes, 0);
    expect((await usage.fileBandwidth(fileId)).total).toBe(total);
  }
}

await describeEachEngine('the meters of buckets', (open) => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  test(`say what a model says after ${OPERATIONS} operations (SEED=${seed})`, async () => {
    const startedAt = Date.parse('2026-02-27T22:58:59.123Z');
    const fixture = await openUsageFixture(await open(), startedAt);
    const random = randomNumbers(seed);
    const pairs: Pair[] = [];
    for (let i = 0; i < 3; i += 1) {
      pairs.push({ id: await fixture.makeBucket(), model: new ModelBucket() });
    }
    for (let i = 1; i <= OPERATIONS; i += 1) {
      await operate(fixture, pairs, random);
      if (i % (OPERATIONS / 2) !== 0) continue;
      for (const pair of pairs) await expectStored(fixture, pair);
      await fixture.usage.flush();
      for (const pair of pairs) await expectRight(fixture, pair, startedAt);
    }
  });
});

import { expect, test } from 'bun:test';
import { rounds } from '../../../tests/support/fixtures/torture.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../contract/limits.ts';
import { dayOf, dayText, hourOf, monthOf } from './periods.ts';
import { type House, openHouse } from './testing/house.ts';
import { ModelBucket, randomNumbers } from './testing/model.ts';

const OPERATIONS = rounds(10_000, 400);
/** From single bytes to a bucket of a pebibyte. */
const SIZES = [1, 1023, 5 * GIB + 3, 20 * 1024 * GIB + 1];
const STEPS = [0, 1, 999, 5 * MINUTE, HOUR, 7 * HOUR + 1, DAY];

type Pair = { id: string; model: ModelBucket };

async function operate(house: House, pairs: Pair[], random: () => number) {
  const pick = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One;
  const { id, model } = pick(pairs);
  const fileId = pick(model.live());
  const now = house.clock();
  const kind = random();
  if (kind < 0.25 || fileId === undefined) {
    const bytes = Math.floor(random() * pick(SIZES)) + 1;
    model.upload(await house.upload(id, bytes), now, bytes);
  } else if (kind < 0.4) {
    const most = random() < 0.3 ? -model.sizeOf(fileId) : pick(SIZES);
    const bytes = Math.trunc(random() * most);
    model.files.get(fileId)?.growth.push({ at: now, bytes });
    await house.grow(id, fileId, bytes);
  } else if (kind < 0.55) {
    await house.remove(id, fileId, model.sizeOf(fileId));
    const file = model.files.get(fileId);
    if (file) file.removedAt = now;
  } else if (kind < 0.8) {
    const bytes = Math.floor(random() * GIB);
    model.files.get(fileId)?.sent.push({ at: now, bytes });
    house.usage.counterOf(id, fileId)(bytes);
    if (random() < 0.3) await house.usage.flush();
  } else if (kind < 0.85) await house.usage.tidy();
  else {
    // What was sent before a step is written before it, as it is every second.
    await house.usage.flush();
    house.move(pick(STEPS));
  }
}

async function expectRight(house: House, { id, model }: Pair, begunAt: number) {
  const { buckets, usage, userId } = house;
  const now = house.clock();
  const today = dayOf(now);
  expect(await buckets.get(userId, id)).toMatchObject({
    usage: model.usage(),
    bandwidth: model.sent(monthOf(now), now + 1),
    total_uploads: model.live().length,
  });

  const hours = new Map((await usage.finalHours(id, 0)).map((one) => [one.hour, one]));
  const last = hourOf(now - MINUTE);
  const nothing = { bandwidth: 0, uploaded: 0, storedByteMs: 0n };
  let sum = 0n;
  for (let hour = hourOf(begunAt); hour < last; hour += HOUR) {
    const { bandwidth, uploaded, storedByteMs } = hours.get(hour) ?? nothing;
    sum += storedByteMs;
    const expected = model.hour(hour);
    if (bandwidth !== expected.bandwidth || storedByteMs !== expected.storedByteMs) {
      expect({ hour, bandwidth, uploaded, storedByteMs }).toEqual({ hour, ...expected });
    }
    expect(uploaded).toBe(expected.uploaded);
  }
  expect(sum).toBe(model.integral(0, last));

  const from = today - 300 * DAY;
  const chart = async (chartType: 'disk-all' | 'disk-active' | 'bandwidth') =>
    (await usage.chart(id, { chartType, unit: 'Bytes', from: dayText(from) })).stats;
  const days = Array.from({ length: 301 }, (_, index) => from + index * DAY);
  const wanted = (value: (day: number) => number) =>
    days.map((day) => ({ date: dayText(day), data: value(day) }));
  expect(await chart('disk-all')).toEqual(wanted((day) => model.diskAll(day)));
  expect(await chart('disk-active')).toEqual(wanted((day) => model.diskActive(day)));
  expect(await chart('bandwidth')).toEqual(wanted((day) => model.sent(day, day + DAY)));

  for (const [fileId, file] of [...model.files].filter(([, one]) => one.removedAt === null)) {
    const total = file.sent.reduce((bytes, one) => bytes + one.bytes, 0);
    expect((await usage.fileBandwidth(fileId)).total).toBe(total);
  }
}

await describeEachEngine('the meters of buckets', (open) => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  test(`say what a model says after ${OPERATIONS} operations (SEED=${seed})`, async () => {
    const begunAt = Date.parse('2026-02-27T22:58:59.123Z');
    const house = await openHouse(await open(), begunAt);
    const random = randomNumbers(seed);
    const pairs: Pair[] = [];
    for (let i = 0; i < 3; i += 1) {
      pairs.push({ id: await house.makeBucket(), model: new ModelBucket() });
    }
    for (let i = 1; i <= OPERATIONS; i += 1) {
      await operate(house, pairs, random);
      if (i % (OPERATIONS / 2) !== 0) continue;
      await house.usage.flush();
      for (const pair of pairs) await expectRight(house, pair, begunAt);
    }
  });
});

import { describe, expect, test } from 'bun:test';
import { decodeReply, encodeReply, StepReceiver, StepSender } from './messages.ts';
import type { Reply, Step } from './protocol.ts';

const run = (sql: string, ...parameters: unknown[]): Step => ({
  type: 'run',
  query: { sql, parameters },
  isAlone: true,
});

describe('the steps of a writer', () => {
  test('come out as they went in', () => {
    const [sender, receiver] = [new StepSender(), new StepReceiver()];
    const steps: Step[] = [
      { type: 'begin' },
      run('a', 'ü\ud800"', 1.5, null, Number.MAX_SAFE_INTEGER, -1e300),
      { ...run('b'), isAlone: false } as Step,
      { type: 'release' },
      {
        type: 'batch',
        statements: [
          { sql: 'a', parameters: ['x'], expect: 0 },
          { sql: 'c', parameters: [], expect: undefined },
        ],
      },
      { type: 'rollback' },
      { type: 'commit' },
    ];
    for (let round = 0; round < 3; round += 1)
      expect(receiver.decode(sender.encode(steps) ?? '')).toEqual(steps);
  });

  test('carry the text of a statement once', () => {
    const [sender, receiver] = [new StepSender(), new StepReceiver()];
    const steps = [run('select the same', 1)];
    const [first, second] = [sender.encode(steps), sender.encode(steps)];
    expect(first).toContain('select the same');
    expect(second).not.toContain('select');
    expect([first, second].map((text) => receiver.decode(text ?? ''))).toEqual([steps, steps]);
  });

  test('keep their texts where there are more than are remembered, also within one message', () => {
    const [sender, receiver] = [new StepSender(), new StepReceiver()];
    const texts = Array.from({ length: 1700 }, (_, number) => `statement ${number % 700}`);
    const steps = texts.map((text) => run(text));
    for (const some of [steps.slice(0, 450), steps, steps.toReversed()])
      expect(receiver.decode(sender.encode(some) ?? '')).toEqual(some);
  });

  test('mean the same to a thread that has had another writer', () => {
    const receiver = new StepReceiver();
    for (const text of ['of the first', 'of the second'])
      expect(receiver.decode(new StepSender().encode([run(text)]) ?? '')).toEqual([run(text)]);
  });

  test.each([
    ['bytes', new Uint8Array(3)],
    ['a bigint', 3n],
    ['an infinite number', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
    ['minus zero', -0],
    ['a truth value', true],
    ['nothing', undefined],
    ['a time', new Date(0)],
  ])('are no text with %s', (_, value) => {
    expect(new StepSender().encode([{ type: 'begin' }, run('a', value)])).toBeNull();
    const statements = [{ sql: 'a', parameters: [1, value], expect: 1 }];
    expect(new StepSender().encode([{ type: 'batch', statements }])).toBeNull();
  });
});

describe('the reply of a writer', () => {
  const reply = (answer: object): Reply => ({
    outcomes: [{ answer: { rows: [], ...answer } }],
    isLost: false,
  });

  test('comes out as it went in', () => {
    const all: Reply = {
      outcomes: [
        { answer: { rows: [{ a: 1, b: 'ü', c: null }], numAffectedRows: 3n, insertId: 0n } },
        { answer: { rows: [], batch: [[], [{ a: 1 }]] } },
        { error: { name: 'SQLiteError', message: 'no', code: 'SQLITE_FULL', errno: 13 } },
      ],
      isLost: true,
    };
    expect(decodeReply(encodeReply(all) ?? '')).toEqual(all);
    expect(decodeReply(all)).toBe(all);
  });

  test.each([
    ['bytes', { rows: [{ a: new Uint8Array(1) }] }],
    ['bytes in a batch', { batch: [[{ a: new Uint8Array(1) }]] }],
    ['an infinite number', { rows: [{ a: Number.NEGATIVE_INFINITY }] }],
    ['a large id', { insertId: 2n ** 62n }],
  ])('is no text with %s', (_, answer) => {
    expect(encodeReply(reply(answer))).toBeNull();
  });
});

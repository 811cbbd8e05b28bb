import type { Answer, GuardedQuery, Outcome, Query, Reply, Row, Step } from './protocol.ts';

/*
 * How the steps of the writer cross to its thread, and their outcomes back: as JSON, since a thread gets a text in half the
 * time of a copy of objects. The text of a statement crosses once, and then its number. What JSON can't carry, such as
 * bytes, crosses as a copy of objects.
 */

/** More statements than any request has in use. */
const MAX_TEXTS = 500;

type SentQuery = [number: number, parameters: readonly unknown[], text: string | null];
type SentStep =
  | [type: 'begin' | 'release' | 'rollback' | 'commit']
  | [type: 'run', query: SentQuery, isAlone: boolean]
  | [type: 'batch', statements: [query: SentQuery, expect: number | null][]];

type SentOutcome =
  | { error: Extract<Outcome, { error: unknown }>['error'] }
  | { rows: Row[]; affected: number | null; id: number | null; batch?: Row[][] };

/** The sending end of the steps, which numbers the texts of statements. */
export class StepSender {
  private readonly numbers = new Map<string, number>();

  /** Returns the text of steps; null where JSON can't carry them. */
  encode(steps: Step[]): string | null {
    return steps.every(isSendable) ? JSON.stringify(steps.map((step) => this.toSent(step))) : null;
  }

  private toSent(step: Step): SentStep {
    if (step.type === 'run') return ['run', this.numbered(step.query), step.isAlone];
    if (step.type !== 'batch') return [step.type];
    const statements = step.statements.map((one): [SentQuery, number | null] => [
      this.numbered(one),
      one.expect ?? null,
    ]);
    return ['batch', statements];
  }

  private numbered({ sql, parameters }: Query): SentQuery {
    const known = this.numbers.get(sql);
    if (known !== undefined) return [known, parameters, null];
    // Statements that are built by their values would add up. The others are sent once more.
    if (this.numbers.size === MAX_TEXTS) this.numbers.clear();
    const number = this.numbers.size;
    this.numbers.set(sql, number);
    return [number, parameters, sql];
  }
}

/** The receiving end, which gets the messages of one sender after another. */
export class StepReceiver {
  private readonly texts: string[] = [];

  decode(message: string): Step[] {
    return (JSON.parse(message) as SentStep[]).map((sent) => this.toStep(sent));
  }

  private toStep(sent: SentStep): Step {
    if (sent[0] === 'run') return { type: 'run', query: this.queryOf(sent[1]), isAlone: sent[2] };
    if (sent[0] !== 'batch') return { type: sent[0] };
    const statements = sent[1].map(([query, expect]): GuardedQuery => {
      const { sql, parameters } = this.queryOf(query);
      return { sql, parameters, expect: expect ?? undefined };
    });
    return { type: 'batch', statements };
  }

  private queryOf([number, parameters, text]: SentQuery): Query {
    if (text !== null) this.texts[number] = text;
    return { sql: this.texts[number] ?? '', parameters };
  }
}

const isSendable = (step: Step): boolean =>
  step.type === 'run'
    ? step.query.parameters.every(isPlain)
    : step.type !== 'batch' || step.statements.every((one) => one.parameters.every(isPlain));

/** Whether a value is the same after JSON. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === 'string' || value === null;
}

const areRowsPlain = (rows: Row[]): boolean =>
  rows.every((row) => Object.values(row).every(isPlain));

/** Returns the text of a reply; null where JSON can't carry it. */
export function encodeReply({ outcomes, isLost }: Reply): string | null {
  const sent: SentOutcome[] = [];
  for (const outcome of outcomes) {
    const one = 'error' in outcome ? outcome : toSentAnswer(outcome.answer);
    if (one === null) return null;
    sent.push(one);
  }
  return JSON.stringify([sent, isLost]);
}

function toSentAnswer({ rows, numAffectedRows, insertId, batch }: Answer): SentOutcome | null {
  const numbers = { affected: toNumber(numAffectedRows), id: toNumber(insertId) };
  const areExact = Object.values(numbers).every((one) => one === null || Number.isSafeInteger(one));
  if (!areExact || !areRowsPlain(rows) || !(batch ?? []).every(areRowsPlain)) return null;
  return { rows, ...numbers, ...(batch && { batch }) };
}

const toNumber = (count: bigint | undefined) => (count === undefined ? null : Number(count));

/** Returns a reply, which came as a text or as it is. */
export function decodeReply(message: Reply | string): Reply {
  if (typeof message !== 'string') return message;
  const [sent, isLost] = JSON.parse(message) as [SentOutcome[], boolean];
  return {
    outcomes: sent.map((one) => ('error' in one ? one : { answer: toAnswer(one) })),
    isLost,
  };
}

function toAnswer({ rows, affected, id, batch }: Exclude<SentOutcome, { error: unknown }>): Answer {
  return {
    rows,
    ...(affected !== null && { numAffectedRows: BigInt(affected) }),
    ...(id !== null && { insertId: BigInt(id) }),
    ...(batch && { batch }),
  };
}

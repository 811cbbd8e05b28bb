import { databaseBusy } from './errors.ts';
import { instrumentation } from './instrumentation.ts';
import type { Answer, Query } from './protocol.ts';

type Steps = {
  ask: (query: Query) => Promise<Answer>;
  send: (type: 'begin' | 'release' | 'rollback') => void;
  /** Lets the next transaction start. Resolves after the commit. */
  end: (isCommitted: boolean) => Promise<void>;
};

/** A transaction whose turn it is. `begin` goes with its first statement, so that it costs no round trip. */
export class WriteTransaction {
  private readonly steps: Steps;
  private readonly watch: () => void;
  private hasBegun = false;
  private inFlight = 0;
  private statements = { count: 0, last: '' };
  private hasEnded = false;
  private error: unknown;

  constructor(steps: Steps) {
    this.steps = steps;
    this.watch = instrumentation().watch({
      statements: () => this.statements,
      isIdle: () => this.inFlight === 0 && !this.hasEnded,
      fail: (error) => this.abort(error),
    });
  }

  /** Begins the turn of the transaction. */
  start(): void {
    this.watch();
  }

  async run(query: Query): Promise<Answer> {
    this.requireOpen();
    if (!this.hasBegun) this.steps.send('begin');
    this.hasBegun = true;
    this.inFlight += 1;
    this.statements = { count: this.statements.count + 1, last: query.sql };
    try {
      return await this.steps.ask(query);
    } finally {
      this.inFlight -= 1;
      this.watch();
    }
  }

  /** Resolves once the transaction is on the disk. */
  async commit(): Promise<void> {
    this.requireOpen();
    this.hasEnded = true;
    if (this.hasBegun) this.steps.send('release');
    await this.steps.end(this.hasBegun);
  }

  /** Undoes what the transaction did. The others of its batch keep theirs. */
  rollback(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.hasBegun) this.steps.send('rollback');
    void this.steps.end(false);
  }

  /** Ends a transaction that waits for something else while others wait for it. */
  abortIfIdle(): void {
    if (this.inFlight > 0) return;
    this.abort(databaseBusy(new Error('A transaction took too long between two statements.')));
  }

  private abort(error: unknown): void {
    if (this.hasEnded) return;
    this.error = error;
    this.rollback();
  }

  private requireOpen(): void {
    if (this.error) throw this.error;
    if (this.hasEnded) throw new Error('The transaction has ended.');
  }
}

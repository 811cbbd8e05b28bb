/** How many statements are built once, so that a defect can't fill the sessions of PostgreSQL. */
const MAX_NAMES = 1000;

const numbers = new Map<string, number>();

/** Lets the connections to PostgreSQL keep a statement, whose text is one of a fixed number. */
export function keepStatement(text: string): void {
  if (numbers.size < MAX_NAMES && !numbers.has(text)) numbers.set(text, numbers.size);
}

/**
 * The names under which the sessions of a pool keep statements. PostgreSQL reads and plans a text with each call
 * otherwise, which takes several times as long as to run most of them. Other texts have no name, because a session
 * keeps whatever has one until it ends.
 */
export class StatementNames {
  private generation = 0;

  /** Returns the name of a statement; undefined where the sessions don't keep it. */
  nameOf(text: string): string | undefined {
    const number = numbers.get(text);
    return number === undefined ? undefined : `${this.generation}_${number}`;
  }

  /**
   * Gives all statements other names than the one that a session refuses, because a migration of a newer version
   * has changed what they return. All sessions then read them again.
   */
  renew(refused: string): void {
    if (refused.startsWith(`${this.generation}_`)) this.generation += 1;
  }
}

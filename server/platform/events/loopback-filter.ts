/** An own message that is forgotten only calls its listeners twice. */
const MAX_EXPECTED = 10_000;

/**
 * Recognises this process' own messages when NOTIFY returns them, as its listeners have already been
 * called. Messages are compared by their text: where two processes send the same text at once, it does not
 * matter which one arrives first.
 */
export class LoopbackFilter {
  private readonly expected = new Map<string, number>();
  /** What is sent with a commit, by its text: NOTIFY can return it before the commit is answered. */
  private readonly commits = new Map<string, { hasReturned: boolean }[]>();

  /** Counts a text that is being sent. */
  expect(text: string): void {
    // Nothing comes back while the listening connection is broken.
    if (this.expected.size >= MAX_EXPECTED) this.expected.clear();
    this.change(text, 1);
  }

  /**
   * Prepares for a text that is sent with a commit. The returned function is called after the commit: it
   * counts the text, unless it has come back already, and returns whether it counted it.
   */
  expectWithCommit(text: string): () => boolean {
    // What is never committed is only forgotten here.
    if (this.commits.size >= MAX_EXPECTED) this.commits.clear();
    const commit = { hasReturned: false };
    this.commits.set(text, [...(this.commits.get(text) ?? []), commit]);
    return () => {
      if (commit.hasReturned) return false;
      this.commits.delete(text);
      this.expect(text);
      return true;
    };
  }

  /** Uncounts a text that could not be sent. */
  forget(text: string): void {
    this.change(text, -1);
  }

  /** Whether a text is an own message that came back. Each message counts once. */
  isOwn(text: string): boolean {
    const own = this.expected.has(text);
    if (own) this.change(text, -1);
    else for (const commit of this.commits.get(text) ?? []) commit.hasReturned = true;
    this.commits.delete(text);
    return own;
  }

  /** Forgets all texts: what was sent before a connection broke may never come back. */
  clear(): void {
    this.expected.clear();
    this.commits.clear();
  }

  private change(text: string, by: number): void {
    const count = (this.expected.get(text) ?? 0) + by;
    if (count > 0) this.expected.set(text, count);
    else this.expected.delete(text);
  }
}

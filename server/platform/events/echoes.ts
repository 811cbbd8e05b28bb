/**
 * Tells this process' own messages when they come back to it, which it has heard already. By their
 * text: where two processes send the same at once it does not matter whose comes first.
 */
export function createEchoes() {
  const expected = new Map<string, number>();
  const change = (text: string, by: number) => {
    const count = (expected.get(text) ?? 0) + by;
    if (count > 0) expected.set(text, count);
    else expected.delete(text);
  };
  return {
    /** This text is being sent. */
    expect: (text: string) => change(text, 1),

    /** The request could not be sent. */
    forget: (text: string) => change(text, -1),

    /** Whether this is an own message that came back; each is one once. */
    isOwn(text: string): boolean {
      const own = expected.has(text);
      if (own) change(text, -1);
      return own;
    },

    /** What was sent before the connection broke may never come back. */
    clear: () => expected.clear(),
  };
}

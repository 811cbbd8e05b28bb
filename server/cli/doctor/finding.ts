/** The result of one check. `change` says how to fix a problem. */
export type Finding = { name: string; ok: boolean; text: string; change: string | null };

export const fine = (name: string, text: string): Finding => ({
  name,
  ok: true,
  text,
  change: null,
});
export const problem = (name: string, text: string, change: string): Finding => ({
  name,
  ok: false,
  text,
  change,
});

export const reasonOf = (error: unknown): string => {
  const { text, message } = error as { text?: string; message?: string };
  return (text ?? message ?? String(error)).split('\n')[0] ?? '';
};

/** Whether an error comes from the operating system with one of these codes, such as 'ENOENT'. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

declare module 'fxa-common-password-list' {
  /** Whether a password is in the list, whose entries are in lower case. */
  export function test(password: string): boolean;
}

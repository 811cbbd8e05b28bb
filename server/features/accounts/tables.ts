/** The status of an account. A banned account, and one that is being deleted, can do nothing. */
export type AccountStatus = 'active' | 'banned' | 'deleting';

export type UserRow = {
  id: string;
  /** The address as the user typed it. */
  email: string;
  /** The address in the form in which addresses are compared. */
  email_key: string;
  password_hash: string;
  status: AccountStatus;
  /** When the account was banned, in epoch milliseconds; null where it is not. */
  banned_at: number | null;
  /** How many bytes the account may store; null means as many as others. */
  max_bytes: number | null;
  created_at: number;
};

/** How a session was started: by a signup, by the password and a code or a trusted browser, or by a recovery. */
export type LoginMethod = 'signup' | 'code' | 'trusted-browser' | 'recovery';

export type SessionRow = {
  id: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  /** The browser and the operating system, as text for people. */
  device: string;
  /** The network address of the client that started the session. */
  address: string;
  /** Its country (ISO 3166-1 alpha-2), where a proxy tells it. */
  country: string | null;
  last_seen_at: number;
  /**
   * When a recovery started the session: for a while its password can be changed without a code.
   */
  recovered_at: number | null;
  /** When the password was last entered; a sensitive action asks for it again after a while. */
  password_confirmed_at: number;
  /** Null for the sessions of earlier versions. */
  method: LoginMethod | null;
};

export type ChallengePurpose =
  | 'signup'
  | 'login'
  | 'recovery'
  | 'change-email'
  | 'change-password'
  | 'delete-account'
  | 'delete-bucket';

export type ChallengeRow = {
  id: string;
  purpose: ChallengePurpose;
  email: string;
  email_key: string;
  /** The MAC of the random cookie of the browser that opened the challenge. */
  browser: string;
  /**
   * The MAC of the code; empty for a decoy, which no code opens, such as a signup with a taken
   * address.
   */
  code_mac: string;
  code_expires_at: number;
  tries: number;
  /** The hash of the password that a pending signup chose. */
  password_hash: string | null;
  /** The user who requested the code, if somebody was logged in. */
  user_id: string | null;
  /** The mail job that sends the newest code. */
  mail_id: string | null;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
};

/**
 * A browser in which a user has logged in. The wrong attempts of strangers do not count against it.
 */
export type KnownBrowserRow = { user_id: string; browser: string; seen_at: number };

/** A browser in which a user logs in without a code for some days, because they said so with a code. */
export type TrustedBrowserRow = {
  id: string;
  user_id: string;
  /** The SHA-256 of the 256 random bits in its cookie. */
  token_hash: string;
  device: string;
  address: string;
  country: string | null;
  created_at: number;
  last_used_at: number;
};

/** A change of address that the owner of the old address can still undo. */
export type EmailChangeRow = {
  id: string;
  user_id: string;
  old_email: string;
  old_key: string;
  undo_mac: string;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of accounts, by their names. */
  interface Tables {
    users: UserRow;
    sessions: SessionRow;
    challenges: ChallengeRow;
    known_browsers: KnownBrowserRow;
    trusted_browsers: TrustedBrowserRow;
    email_changes: EmailChangeRow;
  }
}

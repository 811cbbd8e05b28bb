/** The status of an account. A banned account, and one that is being deleted, can do nothing. */
export type AccountStatus = 'active' | 'banned' | 'deleting';

export type UserRow = {
  id: string;
  /** As typed. */
  email: string;
  /** Folded, for comparing. */
  email_key: string;
  password_hash: string;
  /** An account that is banned, or being deleted, can do nothing meanwhile. */
  status: AccountStatus;
  created_at: number;
};

export type SessionRow = {
  id: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  /** Browser and system, for people. */
  device: string;
  /** Of the client that began it. */
  address: string;
  last_seen_at: number;
  /** When it was begun by a recovery: for a while the password can be changed without a code. */
  recovered_at: number | null;
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
  /** MAC of the random cookie of the browser that opened it. */
  browser: string;
  /** Empty where no code may open anything, such as a signup with an address that is taken. */
  code_mac: string;
  code_expires_at: number;
  tries: number;
  /** Of a pending signup. */
  password_hash: string | null;
  /** Who asked, where somebody was logged in. */
  user_id: string | null;
  /** The mail job that carries its newest code. */
  mail_id: string | null;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
};

/** A browser in which its user has been logged in: strangers' wrong tries do not count against it. */
export type KnownBrowserRow = { user_id: string; browser: string; seen_at: number };

/** A change of address that the owner of the old one may still undo. */
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

/** The tables of accounts, by their names. */
export type AccountTables = {
  users: UserRow;
  sessions: SessionRow;
  challenges: ChallengeRow;
  known_browsers: KnownBrowserRow;
  email_changes: EmailChangeRow;
};

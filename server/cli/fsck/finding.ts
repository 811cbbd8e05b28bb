export type FindingKind =
  /** An object that no row refers to. */
  | 'orphan'
  /** An object that a row refers to and that is missing or too short. */
  | 'missing'
  /** The total of a file or a bucket differs from what is stored. */
  | 'total'
  /** A balance, a payment or a charge differs from the ledger or from what was used. */
  | 'ledger'
  /** Objects of a pending delete that is overdue. */
  | 'overdue'
  /** An unfinished local file of a process that has died. */
  | 'temporary';

export type Finding = {
  kind: FindingKind;
  /** An object key, a prefix, a path, or the id of a row. */
  subject: string;
  /** One sentence for the operator. */
  text: string;
};

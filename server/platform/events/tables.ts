/** An event that a transaction has published, until it is sent. */
export type EventOutboxRow = {
  /** It sorts by the time at which the event was published. */
  id: string;
  /** The message as it is sent. */
  text: string;
};

declare module '../db/tables.ts' {
  interface Tables {
    event_outbox: EventOutboxRow;
  }
}

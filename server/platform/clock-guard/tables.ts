/** The last time that the server trusted, with how long the machine had been running then. One row. */
export type TrustedTimeRow = {
  id: number;
  /** Epoch milliseconds. */
  trusted_at: number;
  boot_id: string;
  uptime: number;
};

declare module '../db/tables.ts' {
  interface Tables {
    trusted_time: TrustedTimeRow;
  }
}

/** A step of an installation's setup that is complete, and is never done again. */
export type SetupStepRow = { name: string; completed_at: number };

declare module '../db/tables.ts' {
  /** The tables of the setup, by their names. */
  interface Tables {
    setup_steps: SetupStepRow;
  }
}

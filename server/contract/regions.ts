/** The six regions that a bucket can be in, and their names on the screen. */
export const REGIONS = {
  APAC: 'Asia Pacific',
  EEUR: 'Eastern Europe',
  ENAM: 'Eastern North America',
  OC: 'Oceania',
  WEUR: 'Western Europe',
  WNAM: 'Western North America',
} as const;

export type Region = keyof typeof REGIONS;

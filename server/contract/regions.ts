/** The six regions a bucket can live in, with the names people read. */
export const REGIONS = {
  APAC: 'Asia Pacific',
  EEUR: 'Eastern Europe',
  ENAM: 'Eastern North America',
  OC: 'Oceania',
  WEUR: 'Western Europe',
  WNAM: 'Western North America',
} as const;

export type Region = keyof typeof REGIONS;

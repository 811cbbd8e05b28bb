/** Patterns of texts that differ between two runs of a program, and their replacements. */
const VARYING: [RegExp, string][] = [
  // Inline scripts are the source text of functions, which the build formats differently.
  [/(<script nonce="[^"]*">).*?(?=<\/script>)/gs, '$1SCRIPT'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'JWT'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DAY'],
  [/\b[0-9a-f]{40,}\b/g, 'HASH'],
  [/\b[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/\/tmp\/[\w./@-]+/g, 'PATH'],
  [/nonce(-|=")[\w+/=-]+/g, 'nonce$1NONCE'],
  [/\bwh(f|sec)_[\w+/-]+/g, 'KEY'],
  [/t[0-9a-f]{32}\b/g, 'DATABASE'],
  [/\bbun server\/main\.ts\b/g, 'wharf'],
  // The number of objects depends on when the last sweep ran.
  [/\b\d+ objects?\b/g, 'N objects'],
  [/\bobjects: \d+/g, 'objects: N'],
  [/(no longer has them:) \d+/g, '$1 N'],
  [/[\d.,]+ ?([KMGT]iB|GB|bytes)(?![A-Za-z])/g, 'N bytes'],
  [/[\d.,]+ ?(%|ms|s)(?![A-Za-z])/g, 'N $1'],
  [/\b\d+ minutes\b/g, 'N minutes'],
];

/** Replaces everything that differs between two runs: ids, times, tokens, addresses, measurements. */
export function normalised(text: string): string {
  return VARYING.reduce((current, [pattern, by]) => current.replace(pattern, by), text);
}

/** Normalises the texts of a JSON value, and replaces its numbers by one. */
export function normalisedJson(value: unknown): unknown {
  if (typeof value === 'string') return normalised(value);
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return value.map(normalisedJson);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [normalised(name), normalisedJson(one)]),
  );
}

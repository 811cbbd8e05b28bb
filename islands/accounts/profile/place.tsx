/** Where a client is: the country of its address, where the server knows it, and the address. */
export const Place = ({ address, country }: { address: string; country: string | null }) => (
  <p className="min-w-0 text-quiet">
    {country && <span className="block truncate">{countryName(country)}</span>}
    <span className="block truncate font-mono text-xs">{address}</span>
  </p>
);

/** Returns the English name of a country by its ISO code; the code where it has none. */
function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/**
 * The bibliographic codes of ISO 639-2, which Matroska uses, where they differ from the terminological ones. `Intl`
 * knows the latter.
 */
const BIBLIOGRAPHIC: Record<string, string> = {
  ...{ alb: 'sq', arm: 'hy', baq: 'eu', bur: 'my', chi: 'zh', cze: 'cs', dut: 'nl', fre: 'fr' },
  ...{ geo: 'ka', ger: 'de', gre: 'el', ice: 'is', mac: 'mk', mao: 'mi', may: 'ms', per: 'fa' },
  ...{ rum: 'ro', slo: 'sk', tib: 'bo', wel: 'cy' },
};
const MAX_TAG_LENGTH = 35;

/**
 * Returns the language that a container names, such as 'ger', 'deu' or 'pt-BR', as a tag of BCP 47, such as 'de'.
 * Returns null for an undetermined one and for what is no language.
 */
export function toLanguageTag(code = ''): string | null {
  if (code === '' || code.length > MAX_TAG_LENGTH) return null;
  try {
    const [tag = 'und'] = Intl.getCanonicalLocales(BIBLIOGRAPHIC[code.toLowerCase()] ?? code);
    return /^(und|mul|zxx|mis)\b/.test(tag) ? null : tag;
  } catch {
    return null;
  }
}

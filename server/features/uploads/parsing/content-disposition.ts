/** A parameter, and its value with or without quotes. A backslash in quotes keeps a quote from ending them. */
const PARAMETER = /;\s*([^\s=;]+)\s*=\s*("(?:\\.|[^"\\])*"|[^;]*)/g;

/**
 * Returns the Content-Disposition of a part of a form with its file name in the one way that the parser
 * always reads correctly. The parser ignores `filename*` after a quoted `name`, takes whichever comes last
 * otherwise, and does not know the `%22` of browsers and curl.
 * @param header as it is sent, one character for each byte
 */
export function normalizeDisposition(header: string): string {
  if (!/filename\*|%22/i.test(header)) return header;
  const name = parametersOf(header).get('name');
  const fileName = fileNameOf(header);
  if (name === undefined || fileName === undefined) return header;
  return `form-data; name=${name}; filename*=utf-8''${encodeURIComponent(fileName)}`;
}

/**
 * Returns the file name of a header; undefined where it has none.
 * @param header as it is sent, one character for each byte
 */
export function fileNameOf(header: string): string | undefined {
  const parameters = parametersOf(header);
  return decodeExtended(parameters.get('filename*')) ?? decodePlain(parameters.get('filename'));
}

function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of header.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), value.trim());
  }
  return parameters;
}

/**
 * Decodes a value with its charset (RFC 8187, section 3.2). Returns undefined where it is none, and a reader
 * "ought to" use the plain name then (RFC 6266, section 4.3).
 */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset = '', encoded = ''] = /^"?([^']*)'[^']*'([^"]*)"?$/.exec(value ?? '') ?? [];
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Decodes a value as browsers write it (HTML, "multipart/form-data encoding algorithm"). */
function decodePlain(value: string | undefined): string | undefined {
  const text = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
  return text && Buffer.from(text, 'latin1').toString().replaceAll('%22', '"');
}

import { invalid } from '../../../errors.ts';
import type { SignedRequest } from '../auth/types.ts';

const FORMS =
  'Paste a curl command, the lines of an HTTP request (GET /bucket/key HTTP/1.1 and its headers), or a presigned URL.';

/** Options of curl with a value that says nothing about the request. */
const IGNORED = new Set(
  '-o --output -A --user-agent -e --referer -b --cookie -x --proxy --cacert --cert --key --resolve --connect-to -m --max-time --retry -w --write-out -c --cookie-jar -C --continue-at --limit-rate'.split(
    ' ',
  ),
);
const DATA = /^(-d|-F|--data(-.*)?|--form)$/;

/** Returns the request that somebody has pasted: of curl, as HTTP sends it, or a URL. Throws invalid. */
export function parsePastedRequest(text: string): SignedRequest {
  const trimmed = text.trim().replace(/^[$#>] +(?=curl )/, '');
  return /^curl\s/.test(trimmed) ? ofCurl(trimmed) : ofLines(trimmed);
}

type Parts = { method: string; url: string; headers: Headers };

function ofLines(text: string): SignedRequest {
  // `curl -v` marks what it sends.
  const lines = text.split('\n').map((line) => line.replace(/^> ?/, '').trimEnd());
  const [first = '', ...rest] = lines;
  const [, method = 'GET', url = ''] =
    /^(?:([A-Z]{3,7})\s+)?(\S+)(?:\s+HTTP\/[\d.]+)?$/.exec(first.trim()) ?? [];
  const headers = new Headers();
  for (const line of rest) {
    if (line.trim() === '') break;
    addHeader(headers, line);
  }
  return toRequest({ method, url, headers });
}

function ofCurl(text: string): SignedRequest {
  const words = splitWords(text).slice(1);
  const headers = new Headers();
  let [method, url] = ['', ''];
  let implied = 'GET';
  while (words.length > 0) {
    const [, option = '', inline] = /^(--[^=]+)=?(.*)$/s.exec(words[0] ?? '') ?? [];
    const word = words.shift() ?? '';
    const next = () => inline || (words.shift() ?? '');
    const name = option || word;
    if (name === '-H' || name === '--header') addHeader(headers, next());
    else if (/^-H./.test(word)) addHeader(headers, word.slice(2));
    else if (name === '-X' || name === '--request') method = next();
    else if (/^-X./.test(word)) method = word.slice(2);
    else if (name === '--url') url = next();
    else if (name === '-I' || name === '--head') implied = 'HEAD';
    else if (name === '-T' || name === '--upload-file') {
      next();
      implied = 'PUT';
    } else if (DATA.test(name)) {
      next();
      implied = 'POST';
    } else if (IGNORED.has(name)) next();
    else if (name === '--aws-sigv4') {
      throw invalid(
        'curl signs this request itself. Run it with -v, and paste the lines that begin with >.',
      );
    } else if (!word.startsWith('-') && url === '') url = word;
  }
  return toRequest({ method: method || implied, url, headers });
}

function addHeader(headers: Headers, line: string): void {
  const colon = line.indexOf(':');
  try {
    headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  } catch {
    throw invalid(`"${line.slice(0, 60)}" is not a header. ${FORMS}`);
  }
}

function toRequest({ method, url, headers }: Parts): SignedRequest {
  const [, scheme, host = '', target = ''] = /^(https?:\/\/)?([^/?#]*)([^#]*)/i.exec(url) ?? [];
  const isWhole = scheme !== undefined || (host.includes('.') && !headers.has('host'));
  const path = isWhole ? target : url;
  if (isWhole && !headers.has('host')) headers.set('host', host.toLowerCase());
  if (!headers.has('host') || !/^[/?]|^$/.test(path)) throw invalid(FORMS);
  const question = path.indexOf('?');
  const rawPath = question < 0 ? path : path.slice(0, question);
  return {
    method,
    rawPath: rawPath || '/',
    rawQuery: question < 0 ? '' : path.slice(question + 1),
    headers,
  };
}

/** Returns the words of a command as a shell reads them, without expanding anything. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  const pattern = /\s+|\\\r?\n|((?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)|[\s\S]/g;
  for (const [, word] of text.matchAll(pattern)) {
    if (word !== undefined && word !== '\\\n') words.push(unquote(word));
  }
  return words;
}

const unquote = (word: string): string =>
  word.replace(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\(\r?\n|[\s\S])/g,
    (_, single?: string, double?: string, escaped?: string) =>
      single ??
      double?.replace(/\\([$`"\\])/g, '$1') ??
      (escaped?.endsWith('\n') ? '' : (escaped ?? '')),
  );

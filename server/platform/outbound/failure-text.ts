import { AddressRefusedError } from './ssrf-policy.ts';

const ERROR_TEXTS: Record<string, string> = {
  ABORT_ERR: 'The request timed out.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  ENETUNREACH: "The host can't be reached.",
  EHOSTUNREACH: "The host can't be reached.",
  ENOTFOUND: 'The host was not found.',
  EAI_AGAIN: 'The host could not be looked up.',
};

/** Returns for the user who has chosen a URL why a request got no response, without addresses or a stack. */
export function failureText(error: unknown): string {
  if (error instanceof AddressRefusedError) return error.message;
  const code = String((error as NodeJS.ErrnoException)?.code ?? '');
  const name = (error as Error)?.name;
  if (name === 'TimeoutError' || name === 'AbortError') return ERROR_TEXTS.ABORT_ERR ?? '';
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
    return `The certificate is not valid: ${code}.`;
  if (code.startsWith('HPE_')) return 'The response was not HTTP.';
  return ERROR_TEXTS[code] ?? 'The request failed.';
}

import { DownloadError } from './download-error.ts';

const MIN_FREE_PORT = 1024;
const WEB_PORTS = ['', '80', '443'];

/** The ports below 1024 are those of other protocols, such as mail, in which a request could be taken for a command. */
const isWebPort = (port: string) => WEB_PORTS.includes(port) || Number(port) >= MIN_FREE_PORT;

/** Throws DownloadError for a URL from which nothing is downloaded, whatever its host. */
export function requireAllowedUrl(url: URL, { allowPrivate }: { allowPrivate: boolean }): void {
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new DownloadError('Only http and https URLs can be downloaded.');
  }
  if (url.username || url.password) {
    throw new DownloadError("The URL can't contain a user name or a password.");
  }
  if (!allowPrivate && !isWebPort(url.port)) {
    throw new DownloadError('The port of the URL must be 80, 443, or 1024 and above.');
  }
}

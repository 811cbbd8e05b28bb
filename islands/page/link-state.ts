/** Told when the socket has been down for long, or is up again; `detail` says which. */
export const LINK = 'wharf:link';
export type LinkState = 'up' | 'down';

export const tellLink = (state: LinkState) =>
  document.dispatchEvent(new CustomEvent<LinkState>(LINK, { detail: state }));

/** The pages of a bucket's settings, by the end of their address. The first one has none. */
export const SETTINGS_SECTIONS = {
  general: 'General',
  webhook: 'Webhook',
  uploads: 'Uploads',
  retention: 'Retention',
  delivery: 'Delivery',
  access: 'Access',
} as const;
export type SettingsSection = keyof typeof SETTINGS_SECTIONS;

/** Returns the path of a page of a bucket's settings. */
export const settingsPath = (bucketId: string, section: SettingsSection): string =>
  `/dashboard/settings/${bucketId}${section === 'general' ? '' : `/${section}`}`;

/** Returns the page that an address ends in; null where there is none. */
export const toSettingsSection = (text: string): SettingsSection | null =>
  text !== 'general' && Object.hasOwn(SETTINGS_SECTIONS, text) ? (text as SettingsSection) : null;

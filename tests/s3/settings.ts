/** An account of a server, and an access key that reads and writes all of it. */
export type Account = {
  id: string;
  displayName: string;
  email: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** The suite needs three accounts that have nothing to do with each other. */
export type Accounts = { main: Account; alt: Account; tenant: Account };

/**
 * Returns the settings of the suite for a server at an address.
 * @param region one in which buckets can be created
 */
export function suiteSettings(
  url: string,
  { main, alt, tenant }: Accounts,
  region: string,
): string {
  const { hostname, port } = new URL(url);
  const sections = {
    DEFAULT: { host: hostname, port, is_secure: 'False', ssl_verify: 'False' },
    fixtures: { 'bucket prefix': 's3test-{random}-' },
    // With an interval of a second, tests of what expires by a shorter clock end soon.
    's3 main': { ...accountSettings(main), lc_debug_interval: '1', api_name: region },
    's3 alt': accountSettings(alt),
    's3 tenant': { ...accountSettings(tenant), tenant: '' },
    // The suite wants all of them, also where no test of these accounts is run.
    iam: accountSettings(main),
    'iam root': accountSettings(main),
    'iam alt root': accountSettings(alt),
  };
  return Object.entries(sections)
    .map(([name, settings]) => {
      const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
      return `[${name}]\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

const accountSettings = ({ id, displayName, email, accessKeyId, secretAccessKey }: Account) => ({
  display_name: displayName,
  user_id: id,
  email,
  access_key: accessKeyId,
  secret_key: secretAccessKey,
});

import { expect, test } from 'bun:test';
import {
  AddressRefusedError,
  checkedAddresses,
  isPublicAddress,
  type Resolve,
} from './ssrf-policy.ts';

const PUBLIC = ['93.184.216.34', '8.8.8.8', '172.15.0.1', '100.128.0.1', '2606:2800:220:1::1'];

const REFUSED: Record<string, string[]> = {
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'unspecified, which some systems take for loopback': ['0.0.0.0', '0.1.2.3', '::'],
  'link-local, where metadata services are': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
  'metadata services elsewhere': ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
  'shared (CGNAT)': ['100.64.0.1', '100.127.255.255'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  reserved: ['192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  'NAT64, 6to4 and Teredo': ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1'],
  'not given out': ['2001:db8::1', '100::1', '5f00::1', '4000::1', 'fec0::1'],
  'no address at all': ['', 'localhost', '1.2.3', '1.2.3.4.5', '8.8.8.8 '],
};

for (const address of PUBLIC) {
  test(`${address} is public`, () => expect(isPublicAddress(address)).toBe(true));
}

for (const [kind, addresses] of Object.entries(REFUSED)) {
  test(`no address is public that is ${kind}`, () => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
}

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;
const check = (url: string, resolve: Resolve, allowPrivate = false) =>
  checkedAddresses(new URL(url), { allowPrivate, resolve });

test('one refused address refuses a name, wherever it stands', async () => {
  for (const mixed of [
    ['8.8.8.8', '127.0.0.1'],
    ['::1', '8.8.8.8'],
  ]) {
    await expect(check('https://hooks.example/', resolvesTo(...mixed))).rejects.toThrow(
      AddressRefusedError,
    );
  }
  expect(await check('https://hooks.example/', resolvesTo('8.8.8.8', '1.1.1.1'))).toEqual([
    '8.8.8.8',
    '1.1.1.1',
  ]);
});

test('a name without an address is refused', async () => {
  await expect(check('https://hooks.example/', resolvesTo())).rejects.toThrow(AddressRefusedError);
});

test('numbers in every spelling that URLs know are refused without asking anybody', async () => {
  const never: Resolve = async (hostname) => {
    throw new Error(`asked for ${hostname}`);
  };
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '[::1]']) {
    await expect(check(`http://${host}/`, never)).rejects.toThrow(AddressRefusedError);
  }
  await expect(check('http://[::ffff:7f00:1]/', never)).rejects.toThrow(AddressRefusedError);
});

test('where private addresses are allowed they pass', async () => {
  expect(await check('http://hooks.example/', resolvesTo('10.0.0.1'), true)).toEqual(['10.0.0.1']);
  expect(await check('http://[::1]/', resolvesTo(), true)).toEqual(['::1']);
});

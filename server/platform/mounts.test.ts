import { expect, test } from 'bun:test';
import { findMount, findNetworkType, mountOf } from './mounts.ts';

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /srv rw,relatime - xfs /dev/sdb1 rw
31 30 0:31 / /srv/wharf rw,relatime - ext4 /dev/sdc1 rw
32 31 0:32 / /srv/wharf rw,relatime shared:9 master:1 - nfs4 nas:/wharf rw,vers=4.2
33 22 0:33 / /mnt/my\\040disk rw - fuse.sshfs me@host: rw
`;

test.each([
  ['/var/lib/wharf', { folder: '/', type: 'ext4' }],
  ['/srv/wharfs', { folder: '/srv', type: 'xfs' }],
  ['/srv/wharf', { folder: '/srv/wharf', type: 'nfs4' }],
  ['/srv/wharf/data', { folder: '/srv/wharf', type: 'nfs4' }],
  ['/mnt/my disk/data', { folder: '/mnt/my disk', type: 'fuse.sshfs' }],
])('%p is on the innermost file system that was mounted last', (path, mount) => {
  expect(mountOf(path, MOUNTS)).toEqual(mount);
});

test('a path that does not exist is on no known file system', () => {
  expect(findMount('/proc/self/mountinfo')).toEqual({ folder: '/proc', type: 'proc' });
  expect(findMount('/nothing/here')).toBeNull();
});

test('file systems of other machines are told from local ones', () => {
  const typeOf = (type: string) => findNetworkType('/data', () => ({ folder: '/', type }));
  for (const type of ['nfs', 'nfs4', 'cifs', 'smb3', '9p', 'ceph', 'fuse.sshfs', 'fuse.rclone'])
    expect(typeOf(type)).toBe(type);
  for (const type of ['ext4', 'xfs', 'btrfs', 'zfs', 'overlay', 'tmpfs', 'fuseblk', 'virtiofs'])
    expect(typeOf(type)).toBeNull();
  expect(findNetworkType('/data', () => null)).toBeNull();
});

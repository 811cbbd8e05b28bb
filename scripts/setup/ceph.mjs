import { findProgram } from './programs.mjs';

/** What an S3 server of the tests' own is made of; Debian packs them apart. */
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool', 'ceph'];

/** Whether the tests can start a Ceph with its RADOS Gateway as a real S3 server. */
export const hasCeph = () =>
  PROGRAMS.every((name) => findProgram([name], process.env.PATH) !== null);

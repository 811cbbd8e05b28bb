import type { Faults } from './world.ts';

/** How often things happen: probabilities at each step, if nothing else is said. */
export type Profile = {
  name: string;
  /** The probabilities of each call. */
  faults: Faults;
  /** How many clients there are at most at a time. */
  maxClients: number;
  /** Clients that start. */
  client: number;
  /** The part of the clients that delete a file. */
  deletes: number;
  /** The part of the clients that use S3 or change whole folders, and of the others those that copy a file. */
  s3: number;
  copies: number;
  /** How often a client gives up a request with a chunk, which the server has not noticed yet. */
  abandon: number;
  open: number;
  deleteBucket: number;
  /** kill -9 of a process, and of a media process. */
  kill: number;
  killMedia: number;
  /** A process stands still: any, and one that publishes a part of a video. */
  pause: number;
  pausePublisher: number;
  /** Some seconds pass, while a process stands still or at any time. */
  pauseTick: number;
  tick: number;
  /** The clock jumps by up to 40 seconds, and by up to two hours. */
  hop: number;
  longHop: number;
  /** Nothing of a bucket can be deleted any more. */
  stick: number;
  /** An upload is chosen whose media process is ended again and again. */
  hunt: number;
};

const everything: Profile = {
  name: 'everything',
  faults: { before: 0.015, after: 0.04 },
  maxClients: 12,
  client: 0.3,
  deletes: 0.3,
  s3: 0.3,
  copies: 0.1,
  abandon: 0.3,
  open: 0.12,
  deleteBucket: 0.0003,
  kill: 0.0008,
  killMedia: 0.001,
  pause: 0.0005,
  pausePublisher: 0.001,
  pauseTick: 0.015,
  tick: 0.01,
  hop: 0.002,
  longHop: 0.0002,
  stick: 0.001,
  hunt: 0.003,
};

/** Nothing else happens to processes, and few files are deleted. */
const foreignDeaths: Profile = {
  ...everything,
  name: 'media processes are ended',
  faults: { before: 0.005, after: 0.005 },
  maxClients: 1,
  deletes: 0.03,
  s3: 0.05,
  copies: 0.03,
  open: 0.03,
  deleteBucket: 0,
  kill: 0,
  killMedia: 0,
  pause: 0,
  pausePublisher: 0,
  tick: 0,
  hop: 0,
  longHop: 0,
  hunt: 0.05,
};

/** Without jumps of the clock, which make the queue doubt that a lease has run out. */
const pauses: Profile = {
  ...everything,
  name: 'processes stand still',
  faults: { before: 0.005, after: 0.005 },
  maxClients: 4,
  deletes: 0.05,
  open: 0.03,
  kill: 0,
  killMedia: 0,
  pause: 0,
  pausePublisher: 0.05,
  pauseTick: 0.3,
  hop: 0,
  longHop: 0,
  hunt: 0,
};

/** Many answers are lost, and many clients leave. */
const brokenConnections: Profile = {
  ...everything,
  name: 'connections break',
  faults: { before: 0.01, after: 0.12 },
  maxClients: 20,
  deletes: 0.15,
  abandon: 0.6,
  open: 0.2,
  kill: 0,
  pause: 0,
  pausePublisher: 0,
  tick: 0.04,
  hunt: 0,
};

const PROFILES = [everything, foreignDeaths, pauses, brokenConnections];

/** Returns what happens in the run of a seed: some races are hardly reached while everything happens. */
export const profileOf = (seed: number): Profile => PROFILES[seed % PROFILES.length] ?? everything;

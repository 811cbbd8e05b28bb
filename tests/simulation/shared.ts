import { type Config, loadConfig } from '../../server/config/config.ts';
import { S3_URL } from './s3-request.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedEvents, SimulatedLocks } from './simulated-network.ts';
import { SimulatedStore } from './simulated-store.ts';
import type { World } from './world.ts';

/** What all processes of one world share. */
export type Shared = {
  world: World;
  config: Config;
  database: SimulatedDatabase;
  store: SimulatedStore;
  events: SimulatedEvents;
  locks: SimulatedLocks;
};

/** One byte costs one micro-USD, so that what is charged can be compared with what was used. */
const GIB_PRICE = '1073.741824';

/** Returns what the processes of a new world share. */
export async function createShared(world: World): Promise<Shared> {
  const config = loadConfig({
    DATA_DIR: '/nonexistent',
    APP_SECRET: 'of the simulation, and of nothing else',
    LOG_LEVEL: 'silent',
    SIGNUPS_PER_NETWORK: '1000000',
    PRICE_STORAGE: '0',
    PRICE_BANDWIDTH: GIB_PRICE,
    PRICE_UPLOAD: GIB_PRICE,
    DERIVATIVES_MAX_BYTES: '300',
    S3_URL,
  });
  const database = new SimulatedDatabase(world);
  await database.migrate();
  return {
    world,
    config,
    database,
    store: new SimulatedStore(world),
    events: new SimulatedEvents(world, database),
    locks: new SimulatedLocks(world),
  };
}

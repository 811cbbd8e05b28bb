import { upstreamUnavailable } from '../../server/errors.ts';
import { afterCommit } from '../../server/platform/db/after-commit.ts';
import {
  createListeners,
  decodeMessage,
  encodeMessage,
} from '../../server/platform/events/listeners.ts';
import type { Events } from '../../server/platform/events/port.ts';
import type { Locks } from '../../server/platform/locks/port.ts';
import type { Life } from './life.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import type { World } from './world.ts';

/** How often an event is lost on its way, after which its receiver hears of a gap. */
const GAP_PROBABILITY = 0.05;
const GAP = 'gap';
const EVENT = 'event';

type Member = {
  life: Life;
  topics: ReturnType<typeof createListeners<unknown>>;
  gaps: ReturnType<typeof createListeners<void>>;
};

const lost = () =>
  upstreamUnavailable(new Error('the connection broke'), 'The database is not responding.', 1000);

/** Events between simulated processes, which arrive late, or not at all and then with a gap. */
export class SimulatedEvents {
  private members: Member[] = [];

  constructor(
    private readonly world: World,
    private readonly database: SimulatedDatabase,
  ) {}

  of(life: Life, onError: (error: unknown) => void): Events {
    const { world, database } = this;
    const topics = createListeners<unknown>(onError);
    const gaps = createListeners<void>(onError);
    const member = { life, topics, gaps };
    this.members = [...this.members.filter((one) => one.life.isAlive), member];
    const tell = (text: string) => queueMicrotask(() => hear(member, text));
    return {
      publish: async (topic, payload) => {
        const text = encodeMessage(topic, payload);
        tell(text);
        await world.call(life, `notify ${topic}`, () => this.send(text), { lost });
      },
      publishIn: async (tx, topic, payload) => {
        const text = encodeMessage(topic, payload);
        database.onCommit(tx, () => this.send(text));
        afterCommit(tx, () => tell(text));
      },
      subscribe: topics.add,
      onGap: (listener) => gaps.add(GAP, listener),
      async close() {},
    };
  }

  /** Whether everything that was published has reached a process. */
  hasReached(life: Life): boolean {
    return !this.world.isWaiting(life, EVENT);
  }

  private send(text: string): void {
    const { world } = this;
    for (const member of this.members) {
      const isLost = world.isFailing(GAP_PROBABILITY);
      const arrive = () => (isLost ? member.gaps.call(GAP) : hear(member, text));
      if (member.life.isAlive) void world.call(member.life, EVENT, arrive);
    }
  }
}

function hear({ topics }: Member, text: string): void {
  const { topic, payload } = decodeMessage(text);
  topics.call(topic, payload);
}

/** Locks that simulated processes share, and that a dead one does not keep. */
export class SimulatedLocks {
  private readonly holders = new Map<string, Life>();

  constructor(private readonly world: World) {}

  of(life: Life): Locks {
    const { holders, world } = this;
    const release = (name: string) => {
      if (holders.get(name) === life) holders.delete(name);
    };
    return {
      tryTake: (name) =>
        world.call(
          life,
          `lock ${name}`,
          () => {
            if (holders.has(name)) return null;
            holders.set(name, life);
            life.onDeath(() => release(name));
            return { lost: new AbortController().signal, release: async () => release(name) };
          },
          { lost: null },
        ),
      // Nobody takes a lock alone that others share, as all processes have the same prices.
      tryShare: (name) =>
        world.call(
          life,
          `share ${name}`,
          () => ({ lost: new AbortController().signal, release: async () => {} }),
          { lost: null },
        ),
      close: async () => {},
    };
  }
}

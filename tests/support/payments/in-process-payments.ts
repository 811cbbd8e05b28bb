import { startServerInProcess } from '../server/in-process-server.ts';
import { startPaymentFixture } from './payment-fixture.ts';

export type PaymentServer = Awaited<ReturnType<typeof startPaymentServer>>;
type DeliveryOptions = { at?: number; secret?: string; sentBody?: string };

/**
 * Starts a server in this process with both fake providers, and a clock that a test moves. It advances with every
 * call, so that ids of one test sort in the order of their creation. The caller must call `stop`.
 */
export async function startPaymentServer(env: Record<string, string> = {}, now = Date.now()) {
  const clock = { now };
  const fixture = await startPaymentFixture((providers) =>
    startServerInProcess({ ...providers, ...env }, { clock: () => ++clock.now }),
  );
  const { stripe, server } = fixture;
  return {
    ...fixture,
    clock,
    /** Delivers an event of Stripe, which is signed now. */
    deliver: (body: string, options: DeliveryOptions = {}) =>
      stripe.deliver(server.url, body, { at: Math.floor(clock.now / 1000), ...options }),
  };
}

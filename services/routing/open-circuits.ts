import type { OpenCircuitStore } from '../../db/routing/open-circuit-store.ts';
import type { Logger } from '../../platform/logger.ts';

/**
 * Returns a function that records an opened circuit where all processes can show it. It never delays or fails a
 * request: the record is for people, and routing uses what its own process measured.
 */
export function recordOpenCircuits(
  store: Pick<OpenCircuitStore, 'note'>,
  logger: Pick<Logger, 'warn'>,
): (circuitId: string, forMs: number) => void {
  return (circuitId, forMs) => {
    store.note(circuitId, forMs).catch((error: unknown) => {
      logger.warn({ err: error, circuit: circuitId }, 'an open circuit was not recorded');
    });
  };
}

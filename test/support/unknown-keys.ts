import type { Handle } from './open-database.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { createUnknownKeys, type UnknownKeys } from '../../services/accounts/identity/unknown-keys.ts';
import { createWrongKeys } from '../../services/accounts/identity/wrong-keys.ts';

/** The look-ups of unknown keys as one API process has them, over a test's own pool. */
export function unknownKeysOver(reads: Handle): UnknownKeys {
  return createUnknownKeys({
    reads,
    maxConcurrent: 8,
    wrongKeys: createWrongKeys(),
    metrics: NO_METRICS,
    logger: { warn: () => {} },
  });
}

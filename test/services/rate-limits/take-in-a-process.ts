import { createDatabase } from '../../support/open-database.ts';
import { createOutageDetector } from '../../../db/postgres/outage-detector.ts';
import { createRateLimitStore } from '../../../db/rate-limit-store.ts';
import { createRateLimiter } from '../../../services/rate-limits/rate-limiter.ts';

/** A replica of its own: asks as often as it is told, eight at a time, and prints how many were allowed. */
const [url = '', scope = '', max = '', asks = ''] = process.argv.slice(2);
const database = createDatabase({ url, poolMax: 8 });
const limiter = createRateLimiter({
  store: createRateLimitStore(database.knex),
  detector: createOutageDetector({ url, logger: { warn: () => {}, info: () => {} } }),
  logger: { warn: () => {} },
});

let [left, allowed] = [Number(asks), 0];
const ask = async (): Promise<void> => {
  while (left > 0) {
    left -= 1;
    const verdict = await limiter.take({
      scope,
      max: Number(max),
      window: { kind: 'sliding', ms: 3_600_000 },
    });
    if (verdict?.isAllowed === true) allowed += 1;
  }
};
await Promise.all(Array.from({ length: 8 }, ask));
await database.close();
process.stdout.write(`${allowed}`);

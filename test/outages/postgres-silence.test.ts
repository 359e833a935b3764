import { describe } from '@jest/globals';
import { describePostgresOutage } from './postgres-outage-suite.ts';

describe('a Postgres that falls silent: connections stay, and nothing comes back', () => {
  describePostgresOutage('silence');
});

import { describe } from '@jest/globals';
import { describePostgresOutage } from './postgres-outage-suite.ts';

describe('a Postgres that refuses connections', () => {
  describePostgresOutage('refusal');
});

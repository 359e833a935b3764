import { describe } from '@jest/globals';
import { describePostgresOutage } from './postgres-outage-suite.ts';

describe('a Postgres that dies: connections break, and new ones are refused', () => {
  describePostgresOutage('refusal');
});

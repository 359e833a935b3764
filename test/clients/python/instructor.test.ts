import { expect } from '@jest/globals';
import { testClient } from './client-suite.ts';

const OSLO = { city: 'Oslo', people: 700_000 };

testClient({
  name: 'instructor',
  script: 'instructor_client.py',
  environment: 'older',
  expected: {
    tools: OSLO,
    schemas: 'Place',
    stream: { city: expect.any(String), people: expect.any(Number) },
    errors: 'Error code: 401',
    in_async: OSLO,
  },
});

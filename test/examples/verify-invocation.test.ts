import { describe } from '@jest/globals';
import { hasPython, runPython, runTypeScript } from '../support/run-verifiers.ts';
import { testVerifier } from '../support/verifier-promises.ts';

describe('verify-invocation.ts', () => {
  testVerifier(runTypeScript);
});

// Sluice itself needs no Python. Where it is missing, this is reported as skipped; `npm run test:external` insists on it.
(hasPython() ? describe : describe.skip)('verify_invocation.py', () => {
  testVerifier(runPython('python3'));
});

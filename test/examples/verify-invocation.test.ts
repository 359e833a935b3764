import { describe } from '@jest/globals';
import { hasPython, runPython, runTypeScript } from '../support/run-verifiers.ts';
import { testVerifier } from '../support/verifier-promises.ts';

describe('verify-invocation.ts', () => {
  testVerifier(runTypeScript);
});

// `npm test` needs nothing but Node, so a computer without Python has no tests of the file in Python. They never depend
// on the computer in `npm run test:external`, whose folder `daemon` runs the same ones and fails without Python.
if (hasPython()) {
  describe('verify_invocation.py', () => {
    testVerifier(runPython('python3'));
  });
}

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  effectiveSecret,
  effectiveSecrets,
  type HeldSecret,
  isForHost,
  SECRET_SCOPES,
  type VaultsOf,
  workspaceSecrets,
} from '../../../domain/interns/effective-secrets.ts';

/** A secret as the naive model knows it: the vault that holds it, by number, and the rest. */
interface Stored extends HeldSecret {
  /** 0: the intern's own, 1: the attached one, 2: the workspace's, 3: the one from before workspaces. */
  vault: number;
}

const NAMES = ['a', 'a1', 'a_b', 'aa', 'ab', 'b', 'b_1', 'z'];
const HOSTS = ['one.example', 'two.example', 'three.example'];

const secret: fc.Arbitrary<Stored> = fc.record({
  name: fc.constantFrom(...NAMES),
  hosts: fc.oneof(fc.constant(null), fc.subarray(HOSTS)),
  vault: fc.integer({ min: 0, max: 3 }),
});

/** A vault holds a name once. */
const stored = fc.uniqueArray(secret, { selector: ({ name, vault }) => `${vault} ${name}` });

function vaultsOf(secrets: readonly Stored[]): VaultsOf<Stored> {
  const vault = (number: number) =>
    new Map(secrets.filter((held) => held.vault === number).map((held) => [held.name, held]));
  return { intern: vault(0), attached: vault(1), workspace: workspaceSecrets(vault(2), vault(3)) };
}

/** Looks at every secret of the name and takes the one in the vault with the lowest number. */
function naiveWinner(secrets: readonly Stored[], name: string): Stored | undefined {
  const [first] = secrets.filter((held) => held.name === name).sort((a, b) => a.vault - b.vault);
  return first;
}

describe('effective secrets', () => {
  test('list each name once, from the first vault that holds it, in byte order', () => {
    fc.assert(
      fc.property(stored, (secrets) => {
        const listed = effectiveSecrets(vaultsOf(secrets));
        const expected = [...NAMES]
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          .flatMap((name) => naiveWinner(secrets, name) ?? [])
          .map((held) => ({ ...held, scope: SECRET_SCOPES[Math.min(held.vault, 2)] }));
        expect(listed).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('list exactly what a request receives, for every name and host', () => {
    fc.assert(
      fc.property(stored, (secrets) => {
        const vaults = vaultsOf(secrets);
        const listed = new Map(effectiveSecrets(vaults).map((held) => [held.name, held]));
        for (const name of NAMES) {
          const received = effectiveSecret(vaults, name);
          expect(received).toEqual(listed.get(name));
          const winner = naiveWinner(secrets, name);
          for (const host of HOSTS) {
            const isSent = winner !== undefined && (winner.hosts === null || winner.hosts.indexOf(host) >= 0);
            expect(received !== undefined && isForHost(received, host)).toBe(isSent);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('refuse another host even if a lower vault would allow it', () => {
    const vaults = vaultsOf([
      { name: 'a', hosts: ['one.example'], vault: 0 },
      { name: 'a', hosts: null, vault: 2 },
    ]);
    const received = effectiveSecret(vaults, 'a');
    expect(received?.scope).toBe('intern');
    expect(isForHost(received!, 'two.example')).toBe(false);
  });
});

import { expect, test } from '@jest/globals';
import { AppError } from '../../../../domain/errors.ts';
import { resolveSecrets } from '../../../../services/interns/egress/resolve-secrets.ts';
import type { KnownSecret } from '../../../../services/interns/vault/vault-memory.ts';

const HOST = 'api.example.com';
const INTERN = { id: 'i', organizationId: 'o', workspaceId: 'w', vaultId: 'v', attachedVaultId: null };
const NONE: ReadonlyMap<string, KnownSecret> = new Map();

function secretOf(name: string, version = '1'): KnownSecret {
  return { vaultId: 'v', name, hosts: [HOST], version };
}

const holding = (...secrets: KnownSecret[]) => ({
  intern: new Map(secrets.map((secret) => [secret.name, secret])),
  attached: NONE,
  workspace: NONE,
});

/** Returns values of the newest versions only. */
function vaultsWith(held: ReturnType<typeof holding>[], newest: string) {
  return {
    vaultsOf: async () => (held.length > 1 ? held.shift()! : held[0]!),
    valueOf: async ({ version }: { version: string }) => {
      if (version !== newest) throw new AppError('unavailable');
      return `value ${version}`;
    },
  };
}

test('a secret replaced during the read is read once more', async () => {
  const vaults = vaultsWith([holding(secretOf('key', '1')), holding(secretOf('key', '2'))], '2');
  const { used } = await resolveSecrets(vaults, INTERN, ['key'], HOST);
  expect(used).toMatchObject([{ name: 'key', version: '2', value: 'value 2', scope: 'intern' }]);
});

test('a value that cannot be opened fails with 503', async () => {
  const vaults = vaultsWith([holding(secretOf('key', '1'))], '2');
  await expect(resolveSecrets(vaults, INTERN, ['key'], HOST)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a vault is searched once a host and lists its secrets by name', async () => {
  let searches = 0;
  const held = holding(secretOf('b'), secretOf('a_1'), secretOf('a'), secretOf('a0'));
  const values = held.intern.values.bind(held.intern);
  held.intern.values = () => {
    searches += 1;
    return values();
  };
  for (let n = 0; n < 3; n += 1) {
    const { forHost } = await resolveSecrets(vaultsWith([held], '1'), INTERN, ['a'], HOST);
    expect(forHost.intern.secrets.map(({ name }) => name)).toEqual(['a', 'a0', 'a_1', 'b']);
  }
  expect(searches).toBe(1);
  const { forHost } = await resolveSecrets(vaultsWith([held], '1'), INTERN, [], 'b.example.com');
  expect(forHost.intern.secrets).toEqual([]);
});

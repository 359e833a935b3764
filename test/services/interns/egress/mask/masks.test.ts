import { beforeEach, describe, expect, test } from '@jest/globals';
import type { SecretScope } from '../../../../../domain/interns/effective-secrets.ts';
import { createMasks } from '../../../../../services/interns/egress/mask/masks.ts';
import { resolveSecrets } from '../../../../../services/interns/egress/resolve-secrets.ts';
import { parseHeaderTemplate, placeholdersOf } from '../../../../../services/interns/egress/placeholders.ts';
import type { KnownSecret, VaultMemory } from '../../../../../services/interns/vault/vault-memory.ts';

const HOST = 'api.example.com';
const INTERN = { id: 'i', organizationId: 'o', workspaceId: 'w', vaultId: 'v', attachedVaultId: 'a' };

let values: Map<string, string>;
let held: Record<SecretScope, Map<string, KnownSecret>>;
/** Names the vault and the name of each value that was read. */
let read: string[];
let masks: ReturnType<typeof createMasks>;

const vaults: Pick<VaultMemory, 'vaultsOf' | 'valueOf'> = {
  vaultsOf: async () => held,
  async valueOf({ vaultId, name }) {
    read.push(`${vaultId}/${name}`);
    const value = values.get(`${vaultId}/${name}`);
    if (value === undefined) throw new Error('it does not open');
    return value;
  },
};

beforeEach(() => {
  values = new Map();
  held = { intern: new Map(), attached: new Map(), workspace: new Map() };
  read = [];
  masks = createMasks(vaults);
  store('intern', 'key', 'k1');
});

function store(scope: SecretScope, name: string, value: string, hosts: string[] | null = [HOST]): void {
  held[scope].set(name, { vaultId: scope, name, hosts, version: '1' });
  values.set(`${scope}/${name}`, value);
}

/** Returns what comes back of a text in an answer to a request with the header. */
async function seen(text: string, header = '{{secret:key}}'): Promise<string> {
  const placeholders = placeholdersOf([parseHeaderTemplate('x', header)!]);
  const names = [...new Set(placeholders.map(({ name }) => name))];
  const secrets = await resolveSecrets(vaults, INTERN, names, HOST);
  return (await masks.of(placeholders, secrets)).replace(text);
}

describe('the mask of values that the request does not use', () => {
  test('hides values for this host unless they have only four characters', async () => {
    store('workspace', 'other', 'other-value');
    store('workspace', 'short', ' word   ');
    store('workspace', 'elsewhere', 'value-for-another-host', ['b.example.com']);
    store('workspace', 'anywhere', 'value-without-hosts', null);
    const text = 'k1 other-value word value-for-another-host value-without-hosts';
    expect(await seen(text)).toBe(
      '{{secret:key}} {{secret:other}} word value-for-another-host {{secret:anywhere}}',
    );
  });

  test('hides values under the name of a secret of the intern', async () => {
    store('workspace', 'key', 'of-the-workspace');
    store('attached', 'key', 'of-the-lender');
    expect(await seen('of-the-workspace of-the-lender')).toBe('{{secret:key}} {{secret:key}}');
  });

  test('hides values however many secrets the intern stores', async () => {
    for (let n = 0; n < 200; n += 1) store('intern', `a${n}`, `value-of-the-intern-${n}`.padEnd(1_000, 'x'));
    store('workspace', 'victim', 'of-the-workspace');
    store('attached', 'victim', 'of-the-lender');
    expect(await seen('of-the-workspace of-the-lender')).toBe('{{secret:victim}} {{secret:victim}}');
  });

  test('reads only as many values as 64 KiB of spellings hold', async () => {
    // The spellings of the first four have 64 KiB exactly.
    const lengthOf = (n: number): number => (n === 0 ? 2_049 : 2_048);
    for (let n = 0; n < 100; n += 1) store('workspace', `a${100 + n}`, `${n}`.padEnd(lengthOf(n), 'x'));
    expect(await seen('3'.padEnd(2_048, 'x'))).toBe('{{secret:a103}}');
    expect(await seen('4'.padEnd(2_048, 'x'))).toHaveLength(2_048);
    expect(read.filter((name) => name !== 'intern/key')).toEqual(
      [100, 101, 102, 103].map((n) => `workspace/a${n}`),
    );
  });

  test('counts every spelling of a value against the limit', async () => {
    store('workspace', 'a', '<'.repeat(4_000));
    store('workspace', 'b', 'value-that-has-room');
    expect(await seen('<'.repeat(4_000))).toBe('<'.repeat(4_000));
    expect(await seen('value-that-has-room')).toBe('{{secret:b}}');
  });

  test('leaves out values that do not open, until they do', async () => {
    store('workspace', 'other', 'other-value');
    values.delete('workspace/other');
    expect(await seen('k1 other-value')).toBe('{{secret:key}} other-value');
    values.set('workspace/other', 'other-value');
    expect(await seen('k1 other-value')).toBe('{{secret:key}} {{secret:other}}');
  });
});

test('a short value the intern has copied cannot be read letter by letter', async () => {
  store('workspace', 'victim', 's3cret', ['b.example.com']);
  store('intern', 'victim', 's3cret');
  store('intern', 'guess', 'PREFIX: s3');
  const header = 'PREFIX: {{secret:victim}} {{basic:me:victim}}';
  store('intern', 'token', 'Basic bWU6');
  expect(await seen('PREFIX: s3cret Basic bWU6czNjcmV0', header)).toBe(
    'PREFIX: {{secret:victim}} Basic {{basic:me:victim}}',
  );
});

describe('the cache of masks', () => {
  beforeEach(() => store('workspace', 'other', 'other-value'));

  test('keeps a mask for each repeated Basic credential', async () => {
    const header = '{{basic:me:key}}';
    const placeholders = placeholdersOf([parseHeaderTemplate('x', header)!]);
    const secrets = await resolveSecrets(vaults, INTERN, ['key'], HOST);
    expect(await masks.of(placeholders, secrets)).toBe(await masks.of(placeholders, secrets));
    values.set('intern/key', 'k2');
    held.intern.set('key', { vaultId: 'intern', name: 'key', hosts: [HOST], version: '2' });
    const other = await resolveSecrets(vaults, INTERN, ['key'], HOST);
    expect((await masks.of(placeholders, other)).replace('bWU6azI')).toBe(header);
  });

  test('shares the values of a host among different Basic credentials', async () => {
    expect(await seen('bWU6azE', '{{basic:me:key}}')).toBe('{{basic:me:key}}');
    read = [];
    expect(await seen('bWUyOmsx other-value', '{{basic:me2:key}}')).toBe(
      '{{basic:me2:key}} {{secret:other}}',
    );
    expect(await seen('bWUyOmsx other-value', '{{basic:me:key}}')).toBe('bWUyOmsx {{secret:other}}');
    expect(read).toEqual(['intern/key', 'intern/key']);
  });

  test('reads a value once for concurrent requests', async () => {
    await Promise.all([seen(''), seen(''), seen('')]);
    expect(read.filter((name) => name === 'workspace/other')).toHaveLength(1);
  });

  test('drops a mask when a value changes', async () => {
    await seen('');
    const changed = { vaultId: 'workspace', name: 'other', hosts: [HOST], version: '2' };
    held = { ...held, workspace: new Map([['other', changed]]) };
    values.set('workspace/other', 'new-value');
    expect(await seen('new-value')).toBe('{{secret:other}}');
  });
});

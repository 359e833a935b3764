import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import { createDaemonKeyStore, type DaemonKeyRecord } from '../db/interns/daemon-key-store.ts';
import { type DaemonKeyState, daemonKeyStates, usableDaemonKeys } from '../domain/interns/daemon-key.ts';
import { type DaemonKeyDeps, rotateDaemonKeys } from '../services/interns/daemon/rotate-daemon-keys.ts';
import { pickVerb, requireNone } from './arguments.ts';

export const DAEMON_KEYS_USAGE = `daemon-keys list
daemon-keys rotate [--leaked]`;

/** Runs `admin daemon-keys …` on the keys that sign for interns' daemons. Returns the text to print. */
export async function runDaemonKeys(deps: DaemonKeyDeps, args: string[]): Promise<string> {
  const [verb, rest] = pickVerb('daemon-keys', ['list', 'rotate'], args);
  return verb === 'list' ? listKeys(deps, rest) : rotate(deps, rest);
}

async function listKeys({ knex }: DaemonKeyDeps, args: string[]): Promise<string> {
  requireNone(args);
  const keys = await createDaemonKeyStore(knex).list();
  if (keys.length === 0) return 'There is no key yet. The first request for a signature makes one.';
  return linesOf(keys);
}

async function rotate(deps: DaemonKeyDeps, args: string[]): Promise<string> {
  const options = { leaked: { type: 'boolean', default: false } } as const;
  const { leaked: haveLeaked } = parseArgs({ args, options }).values;
  return deps.knex.transaction(async (transaction) => {
    const kid = await rotateDaemonKeys({ ...deps, knex: transaction }, { haveLeaked });
    // The keys belong to no organization. Their changes enter the audit log of the first one, like other acts of
    // operators.
    const organization = await createAccountStore(transaction).firstOrganization();
    if (organization !== null) {
      const entry = { action: 'rotateDaemonKeys', target: `daemon-keys/${kid}` };
      await createAuditStore(transaction).insert({ organizationId: organization.id }, entry);
    }
    return linesOf(await createDaemonKeyStore(transaction).list());
  });
}

function linesOf(keys: readonly DaemonKeyRecord[]): string {
  const usable = usableDaemonKeys(keys);
  const states = daemonKeyStates(usable, Date.now());
  return keys
    .map((key) => {
      const state = states[usable.indexOf(key)];
      return `${key.kid}  ${state === undefined ? `withdrawn at ${key.withdrawnAt?.toISOString()}` : describeState(state)}`;
    })
    .join('\n');
}

function describeState(state: DaemonKeyState): string {
  switch (state.kind) {
    case 'signs':
      return 'signs';
    case 'waits':
      return `published, signs from ${state.from.toISOString()}`;
    case 'retires':
      return `no longer signs, published until ${state.until.toISOString()}`;
    case 'gone':
      return 'no longer signs, deleted by the next rotation';
  }
}

/** Runs `admin bootstrap`: checks its options, and prints what it made. */
import { parseArgs } from 'node:util';
import type { Config } from '../platform/config.ts';
import { oneOf, parseEmail, required } from './arguments.ts';
import { bootstrap, replaceFirstKeys } from './bootstrap.ts';
import { presentFirstKeys } from './create-organization.ts';
import { parseEntitlements } from './entitlements.ts';

export const BOOTSTRAP_USAGE = `bootstrap --name NAME --email EMAIL [--credit-enforcement on|off] [--entitlement NAME]...
bootstrap --new-keys [--organization ID]    (two keys in place of lost ones)`;

/** Creates the first organization, or new keys for it. Returns the text to print. */
export async function runBootstrap(
  config: Pick<Config, 'database' | 'encryption'>,
  args: string[],
): Promise<string> {
  const { database, encryption } = config;
  if (args.includes('--new-keys')) {
    const others = args.filter((word) => word !== '--new-keys');
    const replaced = await replaceFirstKeys(database.url, encryption, others);
    return `New keys were created.\n${presentFirstKeys(replaced)}`;
  }
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      'credit-enforcement': { type: 'string', default: 'on' },
      entitlement: { type: 'string', multiple: true, default: [] },
    },
  });
  const made = await bootstrap(database.url, encryption, {
    organizationName: required('bootstrap', '--name', values.name),
    email: parseEmail(required('bootstrap', '--email', values.email)),
    creditEnforcement: oneOf('--credit-enforcement', values['credit-enforcement'], ['on', 'off']) === 'on',
    entitlements: parseEntitlements(values.entitlement),
  });
  return `Organization created.\n${presentFirstKeys(made)}`;
}

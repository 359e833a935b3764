/** Runs `admin bootstrap`: checks its options, and prints what it made. */
import { parseArgs } from 'node:util';
import type { Config } from '../platform/config.ts';
import { oneOf, parseEmail, required } from './arguments.ts';
import { bootstrap, replaceFirstKeys } from './bootstrap.ts';
import { presentFirstKeys } from './create-organization.ts';
import { parseEntitlements } from './entitlements.ts';

export const BOOTSTRAP_USAGE = `bootstrap --name NAME --email EMAIL [--credit-enforcement on|off] [--entitlement NAME]...
bootstrap --new-keys                        (two keys in place of lost ones)`;

/** Creates the first organization, or new keys for it. Returns the text to print. */
export async function runBootstrap(
  config: Pick<Config, 'database' | 'encryption'>,
  args: string[],
): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      'credit-enforcement': { type: 'string', default: 'on' },
      entitlement: { type: 'string', multiple: true, default: [] },
      'new-keys': { type: 'boolean', default: false },
    },
  });
  const { database, encryption } = config;
  if (values['new-keys']) {
    const replaced = await replaceFirstKeys(database.url, encryption);
    return `New keys were created.\n${presentFirstKeys(replaced)}`;
  }
  const made = await bootstrap(database.url, encryption, {
    organizationName: required('bootstrap', '--name', values.name),
    email: parseEmail(required('bootstrap', '--email', values.email)),
    creditEnforcement: oneOf('--credit-enforcement', values['credit-enforcement'], ['on', 'off']) === 'on',
    entitlements: parseEntitlements(values.entitlement),
  });
  return `Organization created.\n${presentFirstKeys(made)}`;
}

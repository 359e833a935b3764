import { parseArgs } from 'node:util';
import type { Config } from '../platform/config.ts';
import { bootstrap } from './bootstrap.ts';
import { parseEntitlements } from './entitlements.ts';
import { AdminUsageError } from './usage-error.ts';

export const BOOTSTRAP_USAGE = `bootstrap --name NAME --email EMAIL [--credit-enforcement on|off] [--entitlement NAME]...`;

/** Runs `admin bootstrap`: creates the first organization, or new keys for it. Returns the text to print. */
export async function runBootstrap(config: Config, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      'credit-enforcement': { type: 'string', default: 'on' },
      entitlement: { type: 'string', multiple: true, default: [] },
    },
  });
  const { name, email, entitlement } = values;
  const enforcement = values['credit-enforcement'];
  if (name === undefined || email === undefined) throw new AdminUsageError(BOOTSTRAP_USAGE);
  if (enforcement !== 'on' && enforcement !== 'off') {
    throw new AdminUsageError('--credit-enforcement must be on or off');
  }
  const made = await bootstrap(config.database.url, config.encryption, {
    organizationName: name,
    email,
    creditEnforcement: enforcement === 'on',
    entitlements: parseEntitlements(entitlement),
  });
  return [
    made.created ? 'Organization created.' : 'The organization existed already; these keys are new.',
    `organization    ${made.organizationId}`,
    `workspace       ${made.workspaceId}`,
    '',
    'Shown only now:',
    `API key         ${made.apiKey}`,
    `management key  ${made.managementKey}`,
    `webhook secret  ${made.webhookSecret}`,
  ].join('\n');
}

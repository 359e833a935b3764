/** Finds errors in the settings of a destination that the request schema cannot find, and restores masked secrets. */
import { setImmediate } from 'node:timers/promises';
import type { Handle } from '../../db/postgres/connection.ts';
import { findOwnKeyHashes } from '../../db/accounts/own-key-hashes.ts';
import type { DestinationSettings } from '../../domain/broadcast/destination.ts';
import type { FilterRules } from '../../domain/broadcast/filter-rules.ts';
import {
  type AnyConfig,
  restoreSecrets,
  type StoredConfig,
  URL_FIELDS,
} from '../../domain/broadcast/masked-config.ts';
import { issuesOfHeaders } from '../../domain/broadcast/request-headers.ts';
import { type Issue, invalidRequest } from '../../domain/errors.ts';
import { issuesOfUrl } from '../refused-url.ts';
import { checkRegex } from './filters/regex.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { Workspace } from '../../domain/accounts/workspace.ts';
import { foreignWorkspace } from '../accounts/workspaces/find-workspace.ts';

/** The most issues in one answer. */
const MAX_ISSUES = 100;

/**
 * Replaces masks in a configuration by the stored secrets, and returns the issues of the result. Issues are masks
 * without a stored secret, URLs that the outbound guard refuses, and headers that are too large with their real
 * values.
 */
export function completeConfig(
  checkUrl: (url: string) => void,
  stored: StoredConfig | null,
  next: AnyConfig,
): { config: AnyConfig; issues: Issue[] } {
  const { config, issues } = restoreSecrets(stored, next);
  const headers = typeof config['headers'] === 'object' ? issuesOfHeaders(config['headers']) : [];
  const all = [...issues, ...headers.map(({ path, message }) => ({ path: ['headers', ...path], message }))];
  return {
    config,
    issues: [
      ...all.map(({ path, message }) => ({ path: ['body.config', ...path].join('.'), message })),
      ...[...URL_FIELDS].flatMap((field) => {
        const url = config[field];
        return typeof url === 'string' ? issuesOfUrl(checkUrl, `body.config.${field}`, url) : [];
      }),
    ],
  };
}

/**
 * Returns the issues of a destination's rules that the schema of a request cannot find. Large expressions may take
 * long, so callers must not hold a lock meanwhile.
 */
export async function issuesOfRules(
  handle: Handle,
  organizationId: string,
  { filterRules, apiKeyHashes }: Partial<Pick<DestinationSettings, 'filterRules' | 'apiKeyHashes'>>,
): Promise<Issue[]> {
  return [
    ...(await issuesOfExpressions(filterRules ?? null)),
    ...(await issuesOfKeys(handle, organizationId, apiKeyHashes ?? [])),
  ];
}

/**
 * Returns the issues of regular expressions in filters. Other requests of the process can run between two expressions.
 */
async function issuesOfExpressions(filterRules: FilterRules | null): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [group, { rules }] of (filterRules?.groups ?? []).entries()) {
    for (const [rule, { operator, value }] of rules.entries()) {
      if (operator !== 'regex') continue;
      await setImmediate();
      const message = checkRegex(String(value));
      if (message === null) continue;
      issues.push({ path: `body.filter_rules.groups.${group}.rules.${rule}.value`, message });
    }
  }
  return issues;
}

/** Returns the issues of hashes that belong to no key of the organization. */
async function issuesOfKeys(
  handle: Handle,
  organizationId: string,
  hashes: readonly string[],
): Promise<Issue[]> {
  if (hashes.length === 0) return [];
  const own = await findOwnKeyHashes(handle, organizationId, hashes);
  const message = 'is the hash of no key of the organization';
  const issues = hashes.flatMap((hash, index) =>
    own.has(hash) ? [] : [{ path: `body.api_key_hashes.${index}`, message }],
  );
  return issues.slice(0, MAX_ISSUES);
}

/**
 * Checks rules that the schema of a new destination cannot express. Throws a 400 with all broken rules, including the
 * given `issuesOfSettings`. A null `workspace` means that the organization does not have it.
 */
export function checkDraft(
  checkUrl: (url: string) => void,
  { config: given }: DestinationConfig,
  workspace: Workspace | null,
  issuesOfSettings: readonly Issue[],
): { config: AnyConfig; workspace: Workspace } {
  const { config, issues } = completeConfig(checkUrl, null, { ...given });
  issues.push(...issuesOfSettings);
  if (workspace === null) issues.push(foreignWorkspace('body'));
  if (workspace === null || issues.length > 0) throw invalidRequest(...issues);
  return { config, workspace };
}

import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { AnyConfig } from '../../domain/broadcast/masked-config.ts';
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import type { Workspace } from '../../domain/accounts/workspace.ts';
import { foreignWorkspace } from '../accounts/workspaces/find-workspace.ts';
import { completeConfig } from './destination-issues.ts';

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

/** Updates a run's search attributes, by which operators find runs in Temporal. */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/runs.ts';

const KIND = defineSearchAttributeKey(SEARCH_ATTRIBUTES.kind, 'KEYWORD');
const STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, 'KEYWORD');
const PROVIDER = defineSearchAttributeKey(SEARCH_ATTRIBUTES.provider, 'KEYWORD');

/**
 * Returns whether this run was started with search attributes. A run that was started on a server without them must
 * not set any, or the server would refuse the whole workflow task.
 */
function hasSearchAttributes(): boolean {
  return workflowInfo().typedSearchAttributes.get(KIND) !== undefined;
}

/** Makes the run findable by its status and by the provider that serves it. */
export function showStatus(status: string, provider?: string): void {
  if (!hasSearchAttributes()) return;
  const moved = provider !== undefined && provider !== workflowInfo().typedSearchAttributes.get(PROVIDER);
  upsertSearchAttributes([
    { key: STATUS, value: status },
    ...(moved ? [{ key: PROVIDER, value: provider }] : []),
  ]);
}

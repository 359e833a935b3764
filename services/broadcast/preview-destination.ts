/** Shows what a destination would receive of a past generation, also before the destination exists. */
import { createBroadcastBodyStore } from '../../db/broadcast/body-store.ts';
import { findEvent } from '../../db/broadcast/find-event.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import { composeSpan } from '../../domain/broadcast/compose-span.ts';
import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { BroadcastRules, DestinationType } from '../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { Selection } from '../../domain/broadcast/select-event.ts';
import { GENERATION_ID_PATTERN, timestampOfId } from '../../domain/ids.ts';
import type { Workspace } from '../../domain/accounts/workspace.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { defaultWorkspaceId } from '../accounts/workspaces/find-workspace.ts';
import { requireFound } from '../require-found.ts';
import { checkDraft, issuesOfRules } from './destination-issues.ts';
import { needsContent, createSelector } from './filters/compile-filters.ts';
import { openBody } from '../ledger/bodies/sealed-content.ts';
import type { DestinationDraft } from './create-destination.ts';
import { type PreviewedSpan, previewSpan } from './otlp/preview-span.ts';
import { spanIdsOf } from './span-ids.ts';

type LeavingOutRule = 'is_observability_broadcast_enabled' | Exclude<Selection, 'sent' | 'undecided'>;

/** A generation as a destination would have received it, or the rule that keeps it back. */
export type Preview =
  | { sent: true; span: PreviewedSpan }
  | { sent: false; rule: LeavingOutRule; reason: string };

interface PreviewDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'open'>;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

/**
 * Shows how a destination would have received a generation. Writes and sends nothing. Throws 400 as the creation of the
 * destination does, and 404 for a generation that the workspace does not have.
 */
export async function previewDestination(
  deps: PreviewDeps,
  organizationId: string,
  draft: DestinationDraft,
  generationId: string,
): Promise<Preview> {
  const { knex, checkUrl } = deps;
  const id = draft.workspaceId ?? (await defaultWorkspaceId(knex, organizationId));
  const requestedWorkspace = await createWorkspaceStore(knex).find(organizationId, { id });
  const issues = await issuesOfRules(knex, organizationId, draft);
  const { workspace } = checkDraft(checkUrl, draft.config, requestedWorkspace, issues);
  return previewFor(deps, workspace, { rules: draft, type: draft.config.type }, generationId);
}

/**
 * Shows how a stored destination would receive a generation. Writes and sends nothing. Throws 404 for a generation that
 * its workspace does not have.
 */
export async function previewStoredDestination(
  deps: Pick<PreviewDeps, 'knex' | 'encryption'>,
  { organizationId, workspaceId, type, ...rules }: StoredDestination,
  generationId: string,
): Promise<Preview> {
  const workspace = await createWorkspaceStore(deps.knex).find(organizationId, { id: workspaceId });
  return previewFor(deps, requireFound(workspace), { rules, type }, generationId);
}

interface PreviewedDestination {
  rules: BroadcastRules;
  type: DestinationType;
}

async function previewFor(
  deps: Pick<PreviewDeps, 'knex' | 'encryption'>,
  workspace: Workspace,
  { rules, type }: PreviewedDestination,
  generationId: string,
): Promise<Preview> {
  const bare = requireFound(await readEvent(deps.knex, workspace, generationId));
  const select = createSelector(rules);
  const event = await addContent(deps, bare, needsContent(bare, rules, select));
  const rule = ruleAgainst(event, workspace, select);
  if (rule === 'undecided') return { sent: false, rule: 'filter_rules', reason: UNDECIDED };
  if (rule !== null) return { sent: false, rule, reason: REASONS[rule](event, rules) };
  const span = composeSpan(event, rules, spanIdsOf(event));
  return { sent: true, span: previewSpan(span, type) };
}

async function readEvent(
  knex: Handle,
  { id: workspaceId, organizationId }: Workspace,
  generationId: string,
): Promise<BroadcastEvent | null> {
  if (!GENERATION_ID_PATTERN.test(generationId)) return null;
  const createdAt = new Date(timestampOfId(generationId));
  return findEvent(knex, { organizationId, workspaceId, generationId, createdAt });
}

/** Adds prompt and answer if they are still stored. */
async function addContent(
  { knex, encryption }: Pick<PreviewDeps, 'knex' | 'encryption'>,
  event: BroadcastEvent,
  isWanted: boolean,
): Promise<BroadcastEvent> {
  const { generationId, settledAt, facts } = event;
  const bodies = isWanted
    ? await createBroadcastBodyStore(knex).read([{ generationId, settledAt }])
    : new Map<string, Buffer>();
  const sealed = bodies.get(generationId);
  const content = sealed === undefined ? null : await openBody(encryption, generationId, sealed);
  // Content that has expired may have been sent at that time, so the preview must not show it as dropped.
  return { ...event, content, facts: { ...facts, hasContent: content !== null } };
}

/** Returns the first rule that excludes the generation or cannot decide; null when it would be sent. */
function ruleAgainst(
  event: BroadcastEvent,
  workspace: Workspace,
  select: ReturnType<typeof createSelector>,
): LeavingOutRule | 'undecided' | null {
  if (!workspace.isObservabilityBroadcastEnabled) return 'is_observability_broadcast_enabled';
  const selection = select(event, spanIdsOf(event));
  return selection === 'sent' ? null : selection;
}

const UNDECIDED =
  'The filter rules test the prompt or the answer of the generation, which is not stored, or not as a whole.';

const REASONS: Record<LeavingOutRule, (event: BroadcastEvent, rules: BroadcastRules) => string> = {
  is_observability_broadcast_enabled: () => 'The workspace forwards no generations at all.',
  api_key_hashes: () => 'The key of the generation is none of the keys of the destination.',
  regions: ({ dataRegion }, { regions }) => {
    const received = regions.map((region) => `"${region}"`).join(', ');
    return `The generation belongs to the region "${dataRegion}", and the destination receives ${received} only.`;
  },
  filter_rules: () => 'The generation does not pass every group of the filter rules.',
  sampling_rate: ({ sessionId }, { samplingRate }) =>
    `The ${sessionId === null ? 'trace' : 'session'} of the generation is not in the share of ${samplingRate} that is sent.`,
};

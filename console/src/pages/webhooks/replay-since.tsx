/** Sends all deliveries of a workspace since a moment again, after naming how many. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { Confirm } from '../../parts/dialog/dialog.tsx';
import { Fields, SelectField } from '../../parts/field/field.tsx';
import { MomentField } from '../../parts/field/lazy-fields.tsx';
import { WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';
import type { WebhookFilters } from './filters.ts';

/** The most deliveries that one call sends again. */
const MOST = 1_000;
const DAY_MS = 86_400_000;

type Which = 'failed' | 'ended';

const WHICH = [
  { value: 'failed', label: 'those that failed' },
  { value: 'ended', label: 'all that ended, also delivered ones' },
];

interface ReplaySinceProps {
  /** The filters of the list, from which the dialog begins. */
  filters: WebhookFilters;
  onClose: () => void;
}

export function ReplaySince({ filters, onClose }: ReplaySinceProps) {
  const [workspace, setWorkspace] = useState(filters.workspace_id);
  const [since, setSince] = useState(() => filters.since ?? new Date(Date.now() - DAY_MS).toISOString());
  const [which, setWhich] = useState<Which>('failed');
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const count = useCount({ workspace, since, which });
  const changed = (set: () => void): void => {
    set();
    setIdempotencyKey(crypto.randomUUID());
  };
  return (
    <Confirm
      title="Replay deliveries since a moment"
      action={count.data === undefined ? 'Replay' : `Replay ${formatCount(Math.min(count.data, MOST))}`}
      call={callTo('POST', '/workspaces/{id}/webhook/replay', {
        path: { id: workspace ?? 'default' },
        headers: { 'Idempotency-Key': idempotencyKey },
        body: { since, status: which },
      })}
      isReady={count.data !== undefined && count.data > 0 && !count.isPlaceholderData}
      onClose={onClose}
    >
      <Fields>
        <WorkspaceField
          none="Default workspace"
          value={workspace}
          onPick={(picked) => changed(() => setWorkspace(picked))}
        />
        <MomentField
          label="Since"
          value={since}
          onSet={(moment) => moment !== undefined && changed(() => setSince(moment))}
        />
        <SelectField
          label="Deliveries"
          value={which}
          options={WHICH}
          onPick={(value) => changed(() => setWhich(value === 'ended' ? 'ended' : 'failed'))}
        />
        {count.error !== null && <ProblemBox error={count.error} />}
        <p role="status">{wordsFor(count.data, which)}</p>
      </Fields>
    </Confirm>
  );
}

interface Range {
  workspace: string | undefined;
  since: string;
  which: Which;
}

/** Counts what a replay would take. */
function useCount({ workspace, since, which }: Range) {
  const statuses = which === 'failed' ? (['failed'] as const) : (['failed', 'delivered'] as const);
  return useQuery({
    queryKey: ['deliveries', 'count', workspace, since, which],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const id = workspace ?? (await defaultWorkspaceId(signal));
      const counts = await Promise.all(
        statuses.map(async (status) => {
          const query = { workspace_id: id, since, status, limit: 1 };
          return (await callTo('GET', '/webhooks/deliveries', { query }).send(signal)).total_count;
        }),
      );
      return counts.reduce((sum, counted) => sum + counted, 0);
    },
  });
}

async function defaultWorkspaceId(signal: AbortSignal): Promise<string> {
  return (await callTo('GET', '/workspaces/{id}', { path: { id: 'default' } }).send(signal)).data.id;
}

function wordsFor(count: number | undefined, which: Which): string {
  if (count === undefined) return 'Counting…';
  const what = which === 'failed' ? 'failed deliveries' : 'ended deliveries';
  if (count === 0) return `There are no ${what} since then.`;
  if (count > MOST) {
    return `There are ${formatCount(count)} ${what}. The oldest ${formatCount(MOST)} are sent again; replay once more for the rest.`;
  }
  return `${formatCount(count)} ${what} are sent again, with the same ids, on the usual schedule of attempts.`;
}

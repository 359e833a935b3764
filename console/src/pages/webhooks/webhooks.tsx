/** Lists deliveries of webhooks with their attempts, and replays them. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { DialogButton } from '../../parts/dialog/dialog.tsx';
import { optionsOf } from '../../parts/field/field.tsx';
import { Filters } from '../../parts/field/filters.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type Delivery, deliveryColumns, Replay } from './deliveries.tsx';
import { STATUSES } from './filters.ts';
import { ReplaySince } from './replay-since.tsx';

const route = getRouteApi('/webhooks');

const FILTERS = [
  { name: 'workspace_id', label: 'All workspaces', type: 'workspace' },
  { name: 'status', label: 'Status', options: statusOptions() },
  { name: 'since', label: 'Since', type: 'moment' },
  { name: 'until', label: 'Before', type: 'moment' },
  { name: 'job_id', label: 'Job' },
] as const;

function statusOptions() {
  const words = { failed: 'failed (exhausted or stopped)' } as Record<string, string>;
  return optionsOf(STATUSES).map(({ value, label }) => ({ value, label: words[value] ?? label }));
}

export function Webhooks() {
  const { offset: _, ...filters } = route.useSearch();
  const [replayed, setReplayed] = useState<Delivery>();
  const list = usePage((page) => callTo('GET', '/webhooks/deliveries', { query: { ...filters, ...page } }), {
    isLive: true,
  });
  return (
    <>
      <ListPage
        title="Webhooks"
        about="Each event that was sent to a callback URL, with what the receiver answered."
        actions={
          <DialogButton label="Replay since…">
            {(close) => <ReplaySince filters={filters} onClose={close} />}
          </DialogButton>
        }
        filters={<Filters filters={FILTERS} search={filters} />}
        list={list}
        caption="Deliveries"
        columns={deliveryColumns(setReplayed)}
        empty={
          <Empty title="No deliveries here.">
            Events are sent when a job has a callback URL, or its workspace a default one.
          </Empty>
        }
      />
      {replayed !== undefined && <Replay delivery={replayed} onClose={() => setReplayed(undefined)} />}
    </>
  );
}

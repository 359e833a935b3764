/** Lists deliveries of webhooks with their attempts, and replays them. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { callTo } from '../../api/call.ts';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { DialogButton } from '../../parts/dialog/dialog-button.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { usePage } from '../../parts/paging/use-page.ts';
import { Empty } from '../../parts/states/states.tsx';
import { type Delivery, deliveryColumns } from './deliveries.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type WebhookFilters, webhookFilters } from './filters.ts';
import { Replay } from './replay.tsx';
import { ReplaySince } from './replay-since.tsx';

const route = getRouteApi('/webhooks');

export function Webhooks() {
  const { offset: _, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const [replayed, setReplayed] = useState<Delivery>();
  const list = usePage((page) => callTo('GET', '/webhooks/deliveries', { query: { ...filters, ...page } }), {
    isLive: true,
  });
  const change = (part: WebhookFilters) =>
    void navigate({ search: (last) => webhookFilters({ ...last, offset: undefined, ...part }) });
  return (
    <Page
      title="Webhooks"
      about="Each event that was sent to a callback URL, with what the receiver answered."
      actions={
        <>
          <CopyCurl call={list.call} />
          <DialogButton label="Replay since…">
            {(close) => <ReplaySince filters={filters} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <FilterBar filters={filters} onChange={change} />
      <Listed
        list={list}
        caption="Deliveries"
        keyOf={({ id }) => id}
        columns={deliveryColumns(setReplayed)}
        empty={
          <Empty title="No deliveries here.">
            Events are sent when a job has a callback URL, or its workspace a default one.
          </Empty>
        }
      />
      {replayed !== undefined && <Replay delivery={replayed} onClose={() => setReplayed(undefined)} />}
    </Page>
  );
}

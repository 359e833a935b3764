/** Lists the tools that receive generations, and whether they take them. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { Badge } from '../../parts/badge/badge.tsx';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { WorkspaceField } from '../../parts/field/workspace-field.tsx';
import { Page, Toolbar } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { DestinationForm } from './destination-form.tsx';
import type { DestinationRecord } from './schemas.ts';

const route = getRouteApi('/destinations');

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<DestinationRecord>[] = [
  {
    name: 'Name',
    cell: ({ id, name, type }) => (
      <Link to="/destinations/$id" params={{ id }}>
        <bdi>{name ?? type}</bdi>
      </Link>
    ),
  },
  { name: 'Type', cell: ({ type }) => type },
  { name: 'State', cell: (destination) => <DestinationState destination={destination} /> },
  { name: 'Waiting', isNumber: true, cell: ({ delivery }) => formatCount(delivery.backlog) },
  {
    name: 'Oldest waits',
    isNumber: true,
    cell: ({ delivery: { oldest_age_seconds: age } }) => formatMs(age === null ? null : age * 1_000),
  },
  { name: 'Delivered', isNumber: true, cell: ({ delivery }) => formatCount(delivery.delivered) },
  { name: 'Dead letters', isNumber: true, cell: ({ delivery }) => formatCount(delivery.dead_letters) },
];

export function DestinationState({ destination: { enabled, delivery } }: { destination: DestinationRecord }) {
  if (!enabled) return <Badge tone="warn">disabled</Badge>;
  const isWell = delivery.state === 'idle' || delivery.state === 'running';
  return <Badge tone={isWell ? 'good' : 'bad'}>{delivery.state.replaceAll('_', ' ')}</Badge>;
}

export function Destinations() {
  const [isCreating, setIsCreating] = useState(false);
  const { offset, workspace_id } = route.useSearch();
  const navigate = route.useNavigate();
  const from = offsetOf(offset);
  const query = { limit: PAGE_SIZE, offset: from, workspace_id };
  const list = useQuery({
    queryKey: ['destinations', query],
    queryFn: ({ signal }) => read(api.GET('/observability/destinations', { params: { query }, signal })),
    refetchInterval: LIVE_MS,
  });
  return (
    <Page
      title="Destinations"
      about="Tools that receive your generations, such as Langfuse or an OpenTelemetry collector."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/observability/destinations', query }} />
          <Button look="main" onClick={() => setIsCreating(true)}>
            Create destination
          </Button>
        </>
      }
    >
      <Toolbar label="Filters">
        <WorkspaceField
          none="Default workspace"
          value={workspace_id}
          onPick={(id) => void navigate({ search: { workspace_id: id } })}
        />
      </Toolbar>
      <Listed
        query={list}
        caption="Destinations"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        from={from}
        pageSize={PAGE_SIZE}
        empty={
          <Empty title="There are no destinations yet.">
            Create one, and it gets the generations of its workspace from then on.
          </Empty>
        }
      />
      {isCreating && <DestinationForm workspaceId={workspace_id} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

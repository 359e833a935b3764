/** Lists the tools that receive generations, and whether they take them. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo } from '../../api/call.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { Badge } from '../../parts/value/value.tsx';
import { DialogButton } from '../../parts/dialog/dialog.tsx';
import { Filters } from '../../parts/field/filters.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';
import { DestinationForm } from './destination-form.tsx';
import type { DestinationRecord } from './schemas.ts';

const route = getRouteApi('/destinations');

const COLUMNS: readonly Column<DestinationRecord>[] = [
  linkColumn('Name', '/destinations/$id', ({ name, type }) => <bdi>{name ?? type}</bdi>),
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

const FILTERS = [{ name: 'workspace_id', label: 'Default workspace', type: 'workspace' }] as const;

export function Destinations() {
  const { workspace_id } = route.useSearch();
  const list = usePage(
    (page) => callTo('GET', '/observability/destinations', { query: { ...page, workspace_id } }),
    { isLive: true },
  );
  return (
    <ListPage
      title="Destinations"
      about="Tools that receive your generations, such as Langfuse or an OpenTelemetry collector."
      actions={
        <DialogButton look="main" label="Create destination">
          {(close) => <DestinationForm workspaceId={workspace_id} onClose={close} />}
        </DialogButton>
      }
      filters={<Filters filters={FILTERS} search={{ workspace_id }} />}
      list={list}
      caption="Destinations"
      columns={COLUMNS}
      empty={
        <Empty title="There are no destinations yet.">
          Create one, and it gets the generations of its workspace from then on.
        </Empty>
      }
    />
  );
}

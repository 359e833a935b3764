/** Lists the tools that receive generations, and whether they take them. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { callTo } from '../../api/call.ts';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { Badge } from '../../parts/badge/badge.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { DialogButton } from '../../parts/dialog/dialog-button.tsx';
import { WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { Page, Toolbar } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { usePage } from '../../parts/paging/use-page.ts';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { DestinationForm } from './destination-form.tsx';
import type { DestinationRecord } from './schemas.ts';

const route = getRouteApi('/destinations');

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
  const { workspace_id } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePage(
    (page) => callTo('GET', '/observability/destinations', { query: { ...page, workspace_id } }),
    { isLive: true },
  );
  return (
    <Page
      title="Destinations"
      about="Tools that receive your generations, such as Langfuse or an OpenTelemetry collector."
      actions={
        <>
          <CopyCurl call={list.call} />
          <DialogButton look="main" label="Create destination">
            {(close) => <DestinationForm workspaceId={workspace_id} onClose={close} />}
          </DialogButton>
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
        list={list}
        caption="Destinations"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        empty={
          <Empty title="There are no destinations yet.">
            Create one, and it gets the generations of its workspace from then on.
          </Empty>
        }
      />
    </Page>
  );
}

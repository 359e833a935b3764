/** Lists the generations that a destination could not get, and sends them again. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Table, type Column } from '../../parts/table/table.tsx';
import { ReplayLetters } from './replay-letters.tsx';

const COLUMNS: readonly Column<components['schemas']['ObservabilityDeadLetter']>[] = [
  { name: 'Time', cell: ({ died_at: at }) => <Moment at={at} /> },
  {
    name: 'Generation',
    cell: ({ generation_id: id }) => (
      <Link to="/generations/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { name: 'Status', isNumber: true, cell: ({ status }) => status },
  { name: 'Reason', cell: ({ reason }) => <bdi>{reason}</bdi> },
  { name: 'Replay asked', cell: ({ replay_requested_at: at }) => <Moment at={at} /> },
];

export function DeadLetters({ id }: { id: string }) {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const [path, query] = [`/observability/destinations/${id}/dead-letters`, { limit: 50 }];
  const list = useQuery({
    queryKey: ['destination', id, 'dead-letters'],
    queryFn: ({ signal }) =>
      read(
        api.GET('/observability/destinations/{id}/dead-letters', { params: { path: { id }, query }, signal }),
      ),
  });
  const total = list.data?.total_count ?? 0;
  return (
    <Card
      title="Dead letters"
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path, query }} />
          <Button disabled={total === 0} onClick={() => setAsks(true)}>
            Replay…
          </Button>
        </>
      }
    >
      <Loaded query={list} what="the dead letters">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="There are no dead letters." />
          ) : (
            <Table caption="Dead letters" rows={data} keyOf={(letter) => letter.id} columns={COLUMNS} />
          )
        }
      </Loaded>
      {asks && (
        <ReplayLetters
          id={id}
          onClose={() => {
            setAsks(false);
            void queries.invalidateQueries({ queryKey: ['destination', id] });
          }}
        />
      )}
    </Card>
  );
}

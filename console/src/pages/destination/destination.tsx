/** Shows one destination: its state, a preview, its latest attempts, and its dead letters. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { formatCount } from '../../format/numbers.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded, ProblemBox } from '../../parts/states/states.tsx';
import { DestinationForm } from '../destinations/destination-form.tsx';
import { DestinationState } from '../destinations/destinations.tsx';
import type { DestinationRecord } from '../destinations/schemas.ts';
import { Attempts } from './attempts.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Preview } from './preview.tsx';

const route = getRouteApi('/destinations/$id');

export function Destination() {
  const { id } = route.useParams();
  const path = { id };
  const destination = useQuery({
    queryKey: ['destination', id],
    queryFn: async ({ signal }) =>
      (await read(api.GET('/observability/destinations/{id}', { params: { path }, signal }))).data,
    refetchInterval: LIVE_MS,
  });
  return (
    <Page
      title={destination.data?.name ?? 'Destination'}
      about={destination.data?.type}
      actions={<CopyCurl call={{ method: 'GET', path: `/observability/destinations/${id}` }} />}
    >
      <Loaded query={destination} what="the destination">
        {(record) => (
          <>
            <Columns>
              <State record={record} />
              <Test id={id} />
            </Columns>
            <Preview destination={record} />
          </>
        )}
      </Loaded>
      <Attempts id={id} />
      <DeadLetters id={id} />
    </Page>
  );
}

function State({ record }: { record: DestinationRecord }) {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const [isEdited, setIsEdited] = useState(false);
  const { id, enabled, delivery, sampling_rate: rate, privacy_mode: isPrivate } = record;
  const body = { enabled: !enabled };
  return (
    <Card
      title="State"
      actions={
        <>
          <Button onClick={() => setIsEdited(true)}>Edit</Button>
          <Button onClick={() => setAsks(true)}>{enabled ? 'Disable' : 'Enable'}</Button>
        </>
      }
    >
      <Facts
        facts={[
          ['State', <DestinationState key="state" destination={record} />],
          ['Reason', delivery.reason ?? undefined],
          [
            'Next attempt',
            delivery.next_attempt_at === null ? undefined : (
              <Moment key="next" at={delivery.next_attempt_at} />
            ),
          ],
          ['Waiting', formatCount(delivery.backlog)],
          ['Delivered', formatCount(delivery.delivered)],
          ['Refused', formatCount(delivery.rejected)],
          ['Given up', formatCount(delivery.given_up)],
          ['Sampling', `${rate * 100} %`],
          ['Prompts and answers', isPrivate ? 'are left out' : 'are sent'],
        ]}
      />
      {isEdited && <DestinationForm record={record} onClose={() => setIsEdited(false)} />}
      {asks && (
        <Confirm
          title={`${enabled ? 'Disable' : 'Enable'} “${record.name ?? record.type}”?`}
          action={enabled ? 'Disable' : 'Enable'}
          call={{ method: 'PATCH', path: `/observability/destinations/${id}`, body }}
          run={() => read(api.PATCH('/observability/destinations/{id}', { params: { path: { id } }, body }))}
          onClose={() => {
            setAsks(false);
            void queries.invalidateQueries({ queryKey: ['destination', id] });
          }}
        >
          <p>
            {enabled ? 'Generations are no longer sent to it.' : 'Generations are sent to it from now on.'}
          </p>
        </Confirm>
      )}
    </Card>
  );
}

function Test({ id }: { id: string }) {
  const test = useMutation({
    mutationFn: async () =>
      (await read(api.POST('/observability/destinations/{id}/test', { params: { path: { id } } }))).data,
  });
  return (
    <Card
      title="Test"
      actions={
        <>
          <CopyCurl call={{ method: 'POST', path: `/observability/destinations/${id}/test` }} />
          <Button busy={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
        </>
      }
    >
      {test.data === undefined ? (
        <p>Sends one made-up generation, and shows what the tool answers.</p>
      ) : (
        <p role="status">
          {test.data.passed ? 'The tool accepted it.' : 'The tool did not accept it.'} {test.data.text}
        </p>
      )}
      {test.error !== null && <ProblemBox error={test.error} />}
    </Card>
  );
}

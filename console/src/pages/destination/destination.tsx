/** Shows one destination: its state, a preview, its latest attempts, and its dead letters. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo, useCall } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { Confirm, DialogButton } from '../../parts/dialog/dialog.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { TryCard } from '../../parts/form/try-card.tsx';
import { Moment } from '../../parts/value/value.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { DestinationForm } from '../destinations/destination-form.tsx';
import { DestinationState } from '../destinations/destinations.tsx';
import type { DestinationRecord } from '../destinations/schemas.ts';
import { Attempts, DeadLetters } from './deliveries.tsx';
import { Preview } from './preview.tsx';

const route = getRouteApi('/destinations/$id');

export function Destination() {
  const { id } = route.useParams();
  const call = callTo('GET', '/observability/destinations/{id}', { path: { id } });
  const destination = useCall(call, { isLive: true });
  const record = destination.data?.data;
  return (
    <Page title={record?.name ?? 'Destination'} about={record?.type} call={call}>
      <Loaded query={destination} what="the destination">
        {({ data }) => (
          <>
            <Columns>
              <State record={data} />
              <Test id={id} />
            </Columns>
            <Preview destination={data} />
          </>
        )}
      </Loaded>
      <Attempts id={id} />
      <DeadLetters id={id} />
    </Page>
  );
}

function State({ record }: { record: DestinationRecord }) {
  const { delivery, sampling_rate: rate, privacy_mode: isPrivate } = record;
  return (
    <Card
      title="State"
      actions={
        <>
          <DialogButton label="Edit">
            {(close) => <DestinationForm record={record} onClose={close} />}
          </DialogButton>
          <DialogButton label={record.enabled ? 'Disable' : 'Enable'}>
            {(close) => <Switch record={record} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <Facts
        facts={{
          State: <DestinationState destination={record} />,
          Reason: delivery.reason,
          'Next attempt': delivery.next_attempt_at && <Moment at={delivery.next_attempt_at} />,
          Waiting: formatCount(delivery.backlog),
          Delivered: formatCount(delivery.delivered),
          Refused: formatCount(delivery.rejected),
          'Given up': formatCount(delivery.given_up),
          Sampling: `${rate * 100} %`,
          'Prompts and answers': isPrivate ? 'are left out' : 'are sent',
        }}
      />
    </Card>
  );
}

/** Asks before a destination is disabled or enabled. */
function Switch({ record, onClose }: { record: DestinationRecord; onClose: () => void }) {
  const { id, enabled, name, type } = record;
  const action = enabled ? 'Disable' : 'Enable';
  return (
    <Confirm
      title={`${action} “${name ?? type}”?`}
      action={action}
      call={callTo('PATCH', '/observability/destinations/{id}', {
        path: { id },
        body: { enabled: !enabled },
      })}
      onClose={onClose}
    >
      <p>{enabled ? 'Generations are no longer sent to it.' : 'Generations are sent to it from now on.'}</p>
    </Confirm>
  );
}

function Test({ id }: { id: string }) {
  const call = callTo('POST', '/observability/destinations/{id}/test', { path: { id } });
  return (
    <TryCard title="Test" call={call} action="Send a test">
      {(answer) => (
        <p role="status">
          {answer === undefined
            ? 'Sends one made-up generation, and shows what the tool answers.'
            : `The tool ${answer.data.passed ? 'accepted' : 'did not accept'} it. ${answer.data.text}`}
        </p>
      )}
    </TryCard>
  );
}

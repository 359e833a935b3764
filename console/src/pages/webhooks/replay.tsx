/** Sends events again, after asking. */
import { api, read } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import type { Delivery } from './deliveries.tsx';

interface ReplayProps {
  deliveries: readonly Delivery[];
  onClose: () => void;
}

export function Replay({ deliveries, onClose }: ReplayProps) {
  const [first] = deliveries;
  const urls = [...new Set(deliveries.map(({ url }) => url))];
  const run = async (): Promise<void> => {
    for (const { id } of deliveries) {
      await read(api.POST('/webhooks/deliveries/{id}/replay', { params: { path: { id } } }));
    }
  };
  return (
    <Confirm
      title={deliveries.length === 1 ? 'Replay this event?' : `Replay ${deliveries.length} events?`}
      action="Replay"
      call={{ method: 'POST', path: `/webhooks/deliveries/${first?.id}/replay` }}
      run={run}
      onClose={onClose}
    >
      <p>The receiver gets the same event with the same id again, on the usual schedule of attempts:</p>
      <ul>
        {urls.map((url) => (
          <li key={url}>
            <bdi>{url}</bdi>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

/** Sends one event again, after asking. */
import { callTo } from '../../api/call.ts';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import type { Delivery } from './deliveries.tsx';

interface ReplayProps {
  delivery: Delivery;
  onClose: () => void;
}

export function Replay({ delivery: { id, url, event_type: type }, onClose }: ReplayProps) {
  return (
    <Confirm
      title="Replay this event?"
      action="Replay"
      call={callTo('POST', '/webhooks/deliveries/{id}/replay', { path: { id } })}
      onClose={onClose}
    >
      <p>
        The receiver <bdi>{url}</bdi> gets the same event <code>{type}</code> with the same id again, on the
        usual schedule of attempts.
      </p>
    </Confirm>
  );
}

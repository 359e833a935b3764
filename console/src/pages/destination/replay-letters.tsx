/** Sends dead letters of a destination again, all or those since a moment, after naming how many. */
import { useState } from 'react';
import { callTo, useCall } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Fields } from '../../parts/field/field.tsx';
import { MomentField } from '../../parts/field/moment-field.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';

interface ReplayLettersProps {
  id: string;
  onClose: () => void;
}

export function ReplayLetters({ id, onClose }: ReplayLettersProps) {
  const [since, setSince] = useState<string>();
  const [url, path] = ['/observability/destinations/{id}/dead-letters', { id }] as const;
  const found = useCall(callTo('GET', url, { path, query: { limit: 1, since } }), { keepsLast: true });
  const count = found.data?.total_count;
  return (
    <Confirm
      title="Replay dead letters?"
      action={count === undefined ? 'Replay' : `Replay ${formatCount(count)}`}
      call={callTo('POST', `${url}/replay`, { path, body: since === undefined ? {} : { since } })}
      isReady={count !== undefined && count > 0 && !found.isPlaceholderData}
      onClose={onClose}
    >
      <Fields>
        <MomentField label="Since (all, if empty)" value={since} onSet={setSince} />
        {found.error !== null && <ProblemBox error={found.error} />}
        <p role="status">
          {count === undefined ? 'Counting…' : `${formatCount(count)} dead letters are sent again.`} Those
          that the tool refuses again stay dead letters.
        </p>
      </Fields>
    </Confirm>
  );
}

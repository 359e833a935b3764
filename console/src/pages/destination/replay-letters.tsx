/** Sends dead letters of a destination again, all or those since a moment, after naming how many. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
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
  const params = { path: { id } };
  const count = useQuery({
    queryKey: ['destination', id, 'dead-letters', 'count', since],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { limit: 1, since };
      const url = '/observability/destinations/{id}/dead-letters';
      return (await read(api.GET(url, { params: { ...params, query }, signal }))).total_count;
    },
  });
  const body = since === undefined ? {} : { since };
  return (
    <Confirm
      title="Replay dead letters?"
      action={count.data === undefined ? 'Replay' : `Replay ${formatCount(count.data)}`}
      call={{ method: 'POST', path: `/observability/destinations/${id}/dead-letters/replay`, body }}
      isReady={count.data !== undefined && count.data > 0 && !count.isPlaceholderData}
      run={() => read(api.POST('/observability/destinations/{id}/dead-letters/replay', { params, body }))}
      onClose={onClose}
    >
      <Fields>
        <MomentField label="Since (all, if empty)" value={since} onSet={setSince} />
        {count.error !== null && <ProblemBox error={count.error} />}
        <p role="status">
          {count.data === undefined ? 'Counting…' : `${formatCount(count.data)} dead letters are sent again.`}{' '}
          Those that the tool refuses again stay dead letters.
        </p>
      </Fields>
    </Confirm>
  );
}

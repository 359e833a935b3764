/** Chooses a model by typing a part of its name. */
import { useId, useState } from 'react';
import type { components } from '../../../generated/api.d.ts';
import { TextField } from '../../parts/field/field.tsx';

type Model = components['schemas']['Model'];

interface ModelFieldProps {
  label: string;
  value: string;
  models: readonly Model[];
  onPick: (model: string) => void;
  hint?: string;
}

export function ModelField({ label, value, models, onPick, hint }: ModelFieldProps) {
  const listId = useId();
  const [draft, setDraft] = useState(value);
  const [last, setLast] = useState(value);
  // Back and forward change the model without this field.
  if (last !== value) {
    setLast(value);
    setDraft(value);
  }
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        list={listId}
        value={draft}
        spellCheck={false}
        onChange={(event) => {
          setDraft(event.target.value);
          if (models.some(({ id }) => id === event.target.value)) onPick(event.target.value);
        }}
        onBlur={() => onPick(draft.trim())}
      />
      <datalist id={listId}>
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}

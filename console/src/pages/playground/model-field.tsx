/** Chooses a model by typing a part of its name. */
import { useId, useState } from 'react';
import { Suggested, TextField } from '../../parts/field/field.tsx';
import type { Model } from './chat-models.ts';

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
        onText={(text) => {
          setDraft(text);
          if (models.some(({ id }) => id === text)) onPick(text);
        }}
        onBlur={() => onPick(draft.trim())}
      />
      <Suggested id={listId} values={models} />
    </>
  );
}
